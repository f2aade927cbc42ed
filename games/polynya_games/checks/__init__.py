"""Does a game keep what the interface promises? For authors of games, and for our own tests."""

from polynya_games.checks.game_check import Finding, check_game

__all__ = ["Finding", "check_game"]
