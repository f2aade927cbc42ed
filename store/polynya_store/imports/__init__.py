"""Imports from elsewhere into a database: single matches, and whole databases."""
