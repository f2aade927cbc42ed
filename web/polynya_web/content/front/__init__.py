"""The news for a spectator: matches in play, decisions, and what comes next."""
