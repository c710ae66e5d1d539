"""The papers' numbers as data, each with the place it was printed at."""
