"""counters."""
