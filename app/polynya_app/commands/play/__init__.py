"""Commands that play: matches, tournaments, standing servers, and their pages."""
