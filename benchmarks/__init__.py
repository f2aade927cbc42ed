"""Benchmarks: every figure a ratio against something that does the same work in the same run."""
