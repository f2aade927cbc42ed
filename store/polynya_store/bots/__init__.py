"""Bots in the database: names, tokens, profiles, and what hosts set right."""
