"""`python -m subitize` is the command line."""

from subitize.cli import main

main()
