"""Commands about programs of bots: begun, tried, uploaded."""
