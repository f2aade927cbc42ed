"""A program that plays a tournament and is killed when so many of its matches are over."""

from __future__ import annotations

KILLED = """
import os, signal, sys
from pathlib import Path
import trio
from polynya_contest.config.tournament_checks import load_configuration
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import run_tournament
from polynya_store import Store

class Killing(Reporter):
    def match_over(self, record, progress):
        if progress.played_now == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)

configuration = load_configuration(Path(sys.argv[1]))
with Store.open(Path(configuration.database), for_play=True) as store:
    trio.run(run_tournament, configuration, store, Killing())
"""
"""Its arguments: the file of the description, and how many matches."""
