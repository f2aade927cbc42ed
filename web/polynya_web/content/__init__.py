"""The contents of pages and API, computed without delaying a match."""
