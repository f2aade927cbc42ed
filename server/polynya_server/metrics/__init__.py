"""Figures of a running server: counters, their Prometheus form, and the HTTP page for both."""
