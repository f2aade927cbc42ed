"""Pages for those who join: the rules of the games, documents for authors, how to connect a bot."""
