"""People: the web pages on which they annotate, take part and look."""
