"""Examples of each message: the values that the vector files of the messages are made of.

Keys stand in the canonical order; keys that are absent are left out, as a sender may do.
"""

from typing import Any

Value = dict[str, Any]

PLAYERS = [
    {"seat": 0, "name": "alice", "rating": 1512.5},
    {"seat": 1, "name": "bob", "rating": None},
]
CLOCK = {"initial_ms": 60000, "increment_ms": 100, "move_ms": None}
STATE = {
    "game": "packeis",
    "players": 2,
    "phase": "movement",
    "to_move": 1,
    "fish": [1, 2, 3] * 19 + [0, 1, 1],
    "penguins": [[0, 7, 20, 33], [12, 31, 48, 59]],
    "fish_caught": [2, 3],
    "floes_caught": [1, 1],
    "out": [False, False],
    "forfeited": [],
}
VIEW = {"cards": 3, "round": 1, "prize": 2, "hands": [[1, 2, 3], [1, 2, 3]], "points": [0, 0]}
HIDDEN = {"acting": [0, 1], "view": True, "joint": True, "commitment": "c0" * 32}

FROM_CLIENT: dict[str, dict[str, Value]] = {
    "hello": {
        "a name is enough": {"type": "hello", "protocol": 1, "name": "alice"},
        "a registered bot that plays two games": {
            "type": "hello",
            "protocol": 1,
            "name": "Bob_2.0-b",
            "token": "s3cret",
            "role": "player",
            "games": ["packeis", "arktia"],
            "concurrency": 4,
            "wants": ["state", "legal", "moved"],
            "software": {"name": "floe", "version": "1.2", "language": "Rust"},
            "max_frame": 1048576,
        },
        "a new name that can be asked for again": {
            "type": "hello",
            "protocol": 1,
            "name": "alice",
            "registration": "5d9c68c6c50ed3d02a2fcf54f63993b6",
        },
        "a spectator needs no name": {"type": "hello", "protocol": 1, "role": "spectator"},
        "unknown values in wants are ignored": {
            "type": "hello",
            "protocol": 1,
            "name": "alice",
            "wants": ["legal", "coffee"],
        },
    },
    "ready": {"a match": {"type": "ready", "match": "cup-17"}},
    "move": {
        "one step": {"type": "move", "match": "cup-17", "turn": 12, "steps": [["move", 12, 40]]},
        "several steps and remarks": {
            "type": "move",
            "match": "cup-17",
            "turn": 300,
            "steps": [["tip", "N", "S"], ["tip", "E", "W"], ["advance", 3, 0, 0], ["end"]],
            "info": {"score": -0.5, "depth": 9, "text": "Grüße vom Südpol"},
        },
    },
    "steps": {
        "the first steps": {"type": "steps", "match": "cup-17", "turn": 3, "steps": []},
        "after one step": {
            "type": "steps",
            "match": "cup-17",
            "turn": 3,
            "steps": [["move", 3, 1, 9]],
        },
    },
    "resign": {"a match": {"type": "resign", "match": "cup-17"}},
    "watch": {
        "one match": {"type": "watch", "match": "cup-17"},
        "all matches": {"type": "watch", "all": True},
    },
    "unwatch": {
        "one match": {"type": "unwatch", "match": "cup-17"},
        "everything": {"type": "unwatch"},
    },
}

FROM_SERVER: dict[str, dict[str, Value]] = {
    "welcome": {
        "a known bot": {
            "type": "welcome",
            "protocol": 1,
            "server": {"name": "polynya", "version": "0.1.0"},
            "bot": "alice",
            "session": "5f1c",
            "heartbeat_ms": 10000,
            "max_frame": 65536,
            "matches": ["cup-17", "cup-18"],
        },
        "a new bot gets its token": {
            "type": "welcome",
            "protocol": 1,
            "server": {"name": "polynya", "version": "0.1.0"},
            "bot": "bob",
            "session": "5f1d",
            "heartbeat_ms": 10000,
            "max_frame": 65536,
            "matches": [],
            "token": "s3cret",
        },
        "a spectator without a name": {
            "type": "welcome",
            "protocol": 1,
            "server": {"name": "polynya", "version": "0.1.0"},
            "bot": None,
            "session": "5f1e",
            "heartbeat_ms": 10000,
            "max_frame": 65536,
            "matches": [],
        },
    },
    "match_start": {
        "two players": {
            "type": "match_start",
            "match": "cup-17",
            "seq": 0,
            "game": "packeis",
            "seat": 1,
            "players": PLAYERS,
            "options": {},
            "clock": CLOCK,
            "state": STATE,
        },
        "hidden parts and joint turns": {
            "type": "match_start",
            "match": "cup-18",
            "seq": 0,
            "game": "goofspiel",
            "seat": 1,
            "players": PLAYERS,
            "options": {"cards": 3},
            "clock": CLOCK,
            "state": VIEW,
            **HIDDEN,
        },
    },
    "match_resume": {
        "a bot that came back": {
            "type": "match_resume",
            "match": "cup-17",
            "seq": 23,
            "game": "packeis",
            "seat": 1,
            "players": PLAYERS,
            "options": {"round_limit": 60, "neutrals": True},
            "clock": CLOCK,
            "state": STATE,
            "remaining_ms": [59000, 48211],
        },
        "a spectator": {
            "type": "match_resume",
            "match": "cup-17",
            "seq": 0,
            "game": "packeis",
            "seat": None,
            "players": PLAYERS,
            "options": {},
            "clock": {"initial_ms": None, "increment_ms": None, "move_ms": 100},
            "state": STATE,
            "remaining_ms": [None, None],
        },
        "hidden parts and joint turns": {
            "type": "match_resume",
            "match": "cup-18",
            "seq": 9,
            "game": "goofspiel",
            "seat": 0,
            "players": PLAYERS,
            "options": {"cards": 3},
            "clock": CLOCK,
            "state": VIEW,
            "remaining_ms": [59000, 48211],
            **HIDDEN,
        },
    },
    "turn": {
        "nothing asked for": {
            "type": "turn",
            "match": "cup-17",
            "seq": 2,
            "turn": 1,
            "remaining_ms": 60000,
        },
        "state and legal steps": {
            "type": "turn",
            "match": "cup-17",
            "seq": 70,
            "turn": 35,
            "remaining_ms": 100,
            "state": STATE,
            "legal": [["move", 12, 13], ["move", 12, 40]],
        },
    },
    "legal": {
        "the turn goes on": {
            "type": "legal",
            "match": "cup-17",
            "turn": 3,
            "legal": [["melt", 4], ["melt", 9]],
            "turn_over": False,
        },
        "the turn is over": {
            "type": "legal",
            "match": "cup-17",
            "turn": 3,
            "legal": [],
            "turn_over": True,
        },
    },
    "moved": {
        "budgets": {
            "type": "moved",
            "match": "cup-17",
            "seq": 3,
            "turn": 2,
            "seat": 0,
            "steps": [["move", 12, 40]],
            "elapsed_ms": 65,
            "remaining_ms": [59935, 60000],
        },
        "no budgets": {
            "type": "moved",
            "match": "cup-17",
            "seq": 3,
            "turn": 2,
            "seat": 0,
            "steps": [["move", 12, 40]],
            "elapsed_ms": 65,
            "remaining_ms": [None, None],
        },
        "concealed steps": {
            "type": "moved",
            "match": "cup-18",
            "seq": 3,
            "turn": 2,
            "seat": 0,
            "steps": None,
            "elapsed_ms": 65,
            "remaining_ms": [59935, 60000],
        },
        "the last message of a transition": {
            "type": "moved",
            "match": "cup-18",
            "seq": 4,
            "turn": 2,
            "seat": 1,
            "steps": [["bid", 3]],
            "elapsed_ms": 0,
            "remaining_ms": [59935, 60000],
            "acting": [0, 1],
            "seen": [{"card": 2}, {"hand": 7, "won": [1, -1]}],
        },
        "the last message of a match, for spectators": {
            "type": "moved",
            "match": "cup-18",
            "seq": 4,
            "turn": 3,
            "seat": 1,
            "steps": [["bid", 1]],
            "elapsed_ms": 0,
            "remaining_ms": [59935, 60000],
            "acting": [],
            "state": VIEW,
            "scores": [4, 2],
        },
    },
    "forfeited": {
        "an illegal move": {
            "type": "forfeited",
            "match": "cup-17",
            "seq": 9,
            "seat": 0,
            "reason": "illegal_move",
            "detail": 'step 0: ["move", 12, 41]: there is no straight line from 12 to 41',
        },
        "in a joint turn": {
            "type": "forfeited",
            "match": "cup-18",
            "seq": 9,
            "seat": 0,
            "reason": "illegal_move",
            "detail": "its steps were not legal",
            "turn": 3,
            "acting": [],
            "seen": [{"hand": 7}],
        },
    },
    "match_over": {
        "a rated result": {
            "type": "match_over",
            "match": "cup-17",
            "seq": 80,
            "ranking": [1, 2],
            "scores": [52, 41],
            "reason": "finished",
            "replay": "cup-17",
            "ratings": [
                {"name": "alice", "before": 1512.5, "after": 1520.25},
                {"name": "bob", "before": 1500.0, "after": 1492.25},
            ],
        },
        "the server was late": {
            "type": "match_over",
            "match": "cup-17",
            "seq": 80,
            "ranking": None,
            "scores": None,
            "reason": "annulled",
            "detail": "the server was late by 80 ms; the match is played again",
            "replay": "cup-17",
        },
        "all seats have forfeited, and the deal comes out": {
            "type": "match_over",
            "match": "cup-18",
            "seq": 10,
            "ranking": [1, 1],
            "scores": None,
            "reason": "forfeit",
            "replay": "cup-18",
            "deal": "5a" * 32,
        },
    },
    "notice": {
        "a bot that is not in the tournament": {
            "type": "notice",
            "code": "not_entered",
            "message": "Aa is connected but is not an entrant; entrants are a, g",
        },
        "a match that cannot begin": {
            "type": "notice",
            "code": "resting",
            "message": "alice rests for 64 s: it did not play the match cup-17",
            "match": "cup-17",
        },
        "what was said no longer holds": {
            "type": "notice",
            "code": "cleared",
            "message": "alice is no longer suspended",
        },
        "a code of a later version": {
            "type": "notice",
            "code": "tea_time",
            "message": "the next round begins at 16:00",
        },
    },
    "error": {
        "not fatal": {
            "type": "error",
            "code": "not_your_turn",
            "message": "turn 12 of cup-17 is over",
            "fatal": False,
            "match": "cup-17",
            "turn": 12,
        },
        "another version": {
            "type": "error",
            "code": "unsupported_protocol",
            "message": "this server speaks protocol 1, not 2",
            "fatal": True,
            "supported": [1],
        },
    },
}

PROBES: dict[str, dict[str, Value]] = {
    name: {
        "a small integer": {"type": name, "nonce": 7},
        "the least integer": {"type": name, "nonce": -(2**63)},
        "the greatest integer": {"type": name, "nonce": 2**64 - 1},
        "64 bytes of text": {"type": name, "nonce": "ž" * 32},
    }
    for name in ("ping", "pong")
}

EITHER_SIDE: dict[str, dict[str, Value]] = {
    **PROBES,
    "goodbye": {
        "no reason": {"type": "goodbye"},
        "replaced by a newer connection": {"type": "goodbye", "reason": "replaced"},
    },
}

OPTIONAL: dict[str, list[str]] = {
    "hello": [
        "name",
        "token",
        "role",
        "games",
        "concurrency",
        "wants",
        "software",
        "max_frame",
        "registration",
    ],
    "move": ["info"],
    "watch": ["match", "all"],
    "unwatch": ["match"],
    "goodbye": ["reason"],
    "welcome": ["token"],
    "turn": ["state", "legal"],
    "match_start": ["acting", "view", "joint", "commitment"],
    "match_resume": ["acting", "view", "joint", "commitment"],
    "moved": ["acting", "seen", "state", "scores"],
    "forfeited": ["turn", "acting", "seen", "state", "scores"],
    "match_over": ["detail", "replay", "ratings", "deal"],
    "error": ["match", "turn", "supported"],
    "notice": ["match"],
}
"""The keys of each message that may be left out or be nil."""
