"""The command line ``polynya``: one module for each group of commands."""

from polynya_tournaments.cli.application import main

__all__ = ["main"]
