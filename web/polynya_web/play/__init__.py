"""A person's seat: somebody plays against bots in the browser, through the bots' own protocol."""
