"""Matchers that are no checkpoint: a file of scores, a server, a namer asked for yes or no."""
