"""Results for other programs: CSV, written and read, and reports of FIDE (TRF), written."""
