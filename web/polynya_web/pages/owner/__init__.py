"""Pages for the owner of a bot, who has shown its token."""
