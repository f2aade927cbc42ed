"""The content of the first page: matches in play, decided tournaments, the next matches."""
