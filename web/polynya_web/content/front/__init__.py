"""What a spectator looks for first: what is played, what was decided, and what comes next."""
