"""Ladders in the database: pages, interventions, and the history for pairing."""
