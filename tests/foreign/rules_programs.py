"""Game folders whose program is written for a test."""

from __future__ import annotations

from pathlib import Path

from polynya_foreign.foreign_game import ForeignGame
from polynya_foreign.game_folder import read_folder

ANSWERS = """
import json, os, sys

def position(stones):
    seats = [stones % 2] if stones else []
    answer = {"document": {"stones": stones}, "acting": seats}
    answer["legal"] = {str(seat): [["take", 1]] for seat in seats}
    if not stones:
        answer["outcome"] = {"termination": "finished", "ranking": [1, 2], "scores": [0, 0]}
    return answer

def answer(question):
    if question["ask"] == "set_up":
        return position(4)
    return position(question["document"]["stones"] - (question["ask"] == "apply"))

def main(change=lambda question, answer: answer):
    for line in sys.stdin:
        question = json.loads(line)
        told = {"id": question["id"], **change(question, answer(question))}
        print(json.dumps(told), flush=True)
"""
"""Statements that begin each program: ``main`` plays four turns, as ``change`` lets it."""


def game_of(folder: Path, statements: str, manifest: str = "answer_s = 20") -> ForeignGame:
    """The game of a folder that is written now.

    Args:
        folder: its place.
        statements: of its program, after those of :data:`ANSWERS`.
        manifest: further lines of its ``game.toml``.
    """
    folder.mkdir(exist_ok=True)
    (folder / "rules.py").write_text(f"{ANSWERS}\n{statements}\n")
    (folder / "game.toml").write_text(
        'name = "four"\ntitle = "Four"\nplayers = 2\nprogram = ["python3", "-S", "rules.py"]\n'
        f"{manifest}\n"
    )
    return ForeignGame(read_folder(folder))
