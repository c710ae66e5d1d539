"""Other people's formats, and programs of their own that use this one."""
