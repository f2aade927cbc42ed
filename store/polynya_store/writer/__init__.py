"""Many small writes as few transactions, off the loop."""
