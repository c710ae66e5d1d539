"""Benchmarks: ratios against the naive way and against peers, measured in one run."""
