"""Figures of a running server.

Counters, their Prometheus form, and the HTTP page that shows them with the health.
"""
