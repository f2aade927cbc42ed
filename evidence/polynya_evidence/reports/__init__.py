"""The report of a tournament: for a terminal, as JSON, as CSV, and as one HTML file."""
