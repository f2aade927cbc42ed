"""Commands about programs of bots: begun, tried, handed in."""
