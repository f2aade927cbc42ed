"""Commands that look at this machine, the games and the protocol."""
