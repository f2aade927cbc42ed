"""Exchanges results with other programs: reads and writes CSV, and writes FIDE reports (TRF)."""
