"""Pictures of positions as PNG, for other sites that show what a link leads to."""
