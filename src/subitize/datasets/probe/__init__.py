"""The counting probe's data: statements, splits and pairs for the alignment task."""
