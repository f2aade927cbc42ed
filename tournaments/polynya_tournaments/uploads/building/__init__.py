"""Builds an uploaded program: runs its commands, finds their tools, limits their downloads."""
