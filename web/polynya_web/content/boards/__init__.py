"""Boards as pages and API show them: rows of text, a grid or a drawing."""
