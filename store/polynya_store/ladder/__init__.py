"""Ladders in the database: pages, and the past that pairing looks at."""
