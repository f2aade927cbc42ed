"""Keeps the server's time: its clock, its deadlines in one task, its event loop's delay."""
