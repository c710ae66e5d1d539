"""Counters: a picture and the name of a thing in, boxes with scores out."""
