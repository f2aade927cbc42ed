"""Metrics of a running server: counters, their Prometheus text, and HTTP endpoints for them."""
