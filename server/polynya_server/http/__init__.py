"""HTTP in the loop of the game server: HTTP/1.1 only, in a share of the time while it plays."""
