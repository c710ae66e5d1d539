"""The commands, one small file per group; cli.py loads each when it is called."""
