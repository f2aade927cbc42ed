"""The tables. New databases are created from them; older ones are migrated to them.

Times are integers: ms since 1970-01-01 UTC. Seeds are decimal text, because a 64-bit seed does not
fit a database's signed integers.
"""

from __future__ import annotations

import msgspec
import sqlalchemy as sa

from polynya_common.reasons import Cause

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def cause_text(cause: Cause | None) -> str | None:
    """A cause as JSON text, for statements whose values are not converted."""
    return None if cause is None else msgspec.json.encode(cause).decode()


class CauseText(sa.TypeDecorator[Cause]):
    """Column type of a cause: a reason with its fields, or a sentence, as JSON text."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Cause | None, _dialect: sa.Dialect) -> str | None:
        """The text of a value."""
        return cause_text(value)

    def process_result_value(self, value: str | None, _dialect: sa.Dialect) -> Cause | None:
        """The value of a text."""
        return None if value is None else msgspec.json.decode(value, type=Cause)


bots = sa.Table(
    "bots",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(32), nullable=False, unique=True),
    # SHA-256 of the token; NULL for a bot that is not registered.
    sa.Column("token_hash", sa.LargeBinary(32)),
    sa.Column("created_ms", sa.BigInteger, nullable=False),
    # When its token was taken away: the name cannot be registered until the host adds it again.
    sa.Column("revoked_ms", sa.BigInteger),
    # Since when it gets no matches on the ladder, and why.
    sa.Column("suspended_ms", sa.BigInteger),
    sa.Column("suspension", CauseText),
    # When the host put it back: what it failed before does not count any more.
    sa.Column("resumed_ms", sa.BigInteger),
    # Whether it only ever was a guest in matches of people: no bot, and in no list of bots.
    sa.Column("guest", sa.Boolean, nullable=False, server_default=sa.false()),
    # Its conduct on the ladder since it was put back, JSON text: see ladder_summaries.py. NULL for
    # none yet.
    sa.Column("conduct", sa.Text),
)

operators = sa.Table(
    "operators",
    metadata,
    # The operator's token for the operator's pages: one, of this name.
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
    sa.Column("created_ms", sa.BigInteger, nullable=False),
)

tournaments = sa.Table(
    "tournaments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(32), nullable=False, unique=True),
    # The settings that determine the matches, as JSON text, and its SHA-256 in hexadecimal:
    # the same description continues the tournament, another one is refused.
    sa.Column("configuration", sa.Text, nullable=False),
    sa.Column("configuration_hash", sa.String(64), nullable=False),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("created_ms", sa.BigInteger, nullable=False),
    # Pairings up to this number have ended and are rated, as far as they are to be.
    sa.Column("rated_through", sa.Integer, nullable=False),
    # From when on results may be told; NULL for at once.
    sa.Column("results_from_ms", sa.BigInteger),
    # Before that time matches that began before this one are told all the same; NULL for none.
    sa.Column("freezes_ms", sa.BigInteger),
    # The end that lets the whole of a match with hidden parts be seen: match, round or tournament.
    sa.Column("reveal", sa.String(16), nullable=False, server_default="match"),
    # Whether all matches of a block have one deal, which stays secret until they have ended.
    sa.Column("duplicate", sa.Boolean, nullable=False, server_default=sa.false()),
    # The folder of its bots' logs, an absolute path; NULL for the one beside the database.
    sa.Column("logs", sa.Text),
    # When submissions close, and matches begin; NULL if they never do.
    sa.Column("closes_ms", sa.BigInteger),
)

entrants = sa.Table(
    "entrants",
    metadata,
    sa.Column("tournament_id", sa.ForeignKey(tournaments.c.id), primary_key=True),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), primary_key=True),
    # The order of the seeding, from 1, and the rating when the tournament was drawn up.
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("rating", sa.Float, nullable=False),
    # The first round in which it does not play any more, and the number of the last match that
    # was drawn when it withdrew.
    sa.Column("withdrawn", sa.Integer),
    sa.Column("withdrawn_after", sa.Integer),
    # The same of a late entrant's entry, and what it is given for each round before that.
    sa.Column("entered", sa.Integer, nullable=False, server_default="1"),
    sa.Column("entered_after", sa.Integer, nullable=False, server_default="0"),
    sa.Column("missed", sa.Float, nullable=False, server_default="0"),
    # When it entered and withdrew; NULL where it was not recorded, or has not happened.
    sa.Column("entered_ms", sa.BigInteger),
    sa.Column("withdrawn_ms", sa.BigInteger),
)

secrets = sa.Table(
    "secrets",
    metadata,
    # Secrets of contests, in the order in which they were made: see polynya_contest/secret.py. A
    # restored database begins new ones.
    sa.Column("id", sa.Integer, primary_key=True),
    # It belongs to a tournament or, like 2026-12, to a month of ladders (UTC).
    sa.Column("tournament_id", sa.ForeignKey(tournaments.c.id), index=True),
    sa.Column("month", sa.String(7)),
    # The number of the last match that was drawn, or begun on a ladder, before the first that
    # follows from it; NULL for a month of ladders without a match yet.
    sa.Column("after", sa.Integer),
    # 32 bytes and the commitment to them, in hexadecimal; the public value entered afterwards.
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("beacon", sa.Text),
    sa.Column("made_ms", sa.BigInteger, nullable=False),
    # When a ladder's came out; a tournament's is out when the tournament is complete.
    sa.Column("out_ms", sa.BigInteger),
)

submissions = sa.Table(
    "submissions",
    metadata,
    sa.Column("tournament_id", sa.ForeignKey(tournaments.c.id), primary_key=True),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), primary_key=True),
    # Its software when submissions closed, JSON text; NULL until an external bot has declared it.
    sa.Column("submitted", sa.Text),
)

pairings = sa.Table(
    "pairings",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.ForeignKey(tournaments.c.id), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("block", sa.String(200), nullable=False),
    # The bots' names by seat, a JSON list.
    sa.Column("players", sa.JSON, nullable=False),
    sa.Column("seed", sa.String(20), nullable=False),
    # open, played, abandoned (given up in this run, tried again by the next), held (the rules
    # failed: waits for the host), walkover (never played, because bots missed it), or dropped
    # (drawn ahead, and needless by a decision).
    sa.Column("state", sa.String(10), nullable=False),
    # Of a walkover: a JSON object of the bots that missed it, each with the reason (withdrawn,
    # absent or not_ready).
    sa.Column("missing", sa.JSON(none_as_null=True)),
    # Why it was not played.
    sa.Column("detail", CauseText),
    sa.UniqueConstraint("tournament_id", "number"),
    sa.Index(None, "tournament_id", "state", "number"),
    sa.Index(None, "tournament_id", "block"),
)

matches = sa.Table(
    "matches",
    metadata,
    # Ascending in the order in which the attempts were begun.
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(64), nullable=False, unique=True),
    sa.Column("pairing_id", sa.ForeignKey(pairings.c.id), index=True),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("clock", sa.JSON, nullable=False),
    sa.Column("seed", sa.String(20), nullable=False),
    sa.Column("rated", sa.Boolean, nullable=False),
    # Its rating is computed with these, also if later matches use others: see RatingSettings.
    sa.Column("k_factor", sa.Float, nullable=False),
    sa.Column("start_rating", sa.Float, nullable=False),
    sa.Column("rating_system", sa.String(16), nullable=False, server_default="elo"),
    sa.Column("k_first", sa.Float, nullable=False, server_default="0"),
    sa.Column("provisional_games", sa.Integer, nullable=False, server_default="40"),
    sa.Column("inactivity_days", sa.Integer, nullable=False, server_default="0"),
    # How it is rated: see ratings/book.py. 1 up to version 0.3.0.
    sa.Column("rating_method", sa.Integer, nullable=False, server_default="1"),
    # The rest of its rating pool, beside the game, the players and the system: see ratings/pool.py.
    sa.Column("clock_class", sa.String(16), nullable=False, server_default="unknown"),
    sa.Column("variant", sa.Text, nullable=False, server_default=""),
    # Why these bots were paired; only on a ladder.
    sa.Column("why", CauseText),
    sa.Column("started_ms", sa.BigInteger, nullable=False),
    # NULL, like the reason, while it is in play.
    sa.Column("finished_ms", sa.BigInteger),
    sa.Column("reason", sa.String(16)),
    sa.Column("termination", sa.String(16)),
    sa.Column("detail", CauseText),
    sa.Column("server_fault", sa.Boolean, nullable=False),
    sa.Column("server", sa.String(64)),
    # The play session of the server that began it; NULL where a database has none.
    sa.Column("session_id", sa.Integer),
    sa.Index(None, "game", "players", "finished_ms"),
    sa.Index(None, "game", "id"),
    sa.Index(None, "reason"),
)

seats = sa.Table(
    "seats",
    metadata,
    sa.Column("match_id", sa.ForeignKey(matches.c.id), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), nullable=False),
    # NULL without a result.
    sa.Column("rank", sa.Integer),
    sa.Column("score", sa.Integer),
    # The contract's word for why it forfeited.
    sa.Column("forfeit", sa.String(16)),
    # Whether the match ended for it by a fault of its own: see conduct.py.
    sa.Column("fault", sa.Boolean, nullable=False, server_default=sa.false()),
    # The software that the bot named: a JSON object of name, version and language.
    sa.Column("software", sa.JSON(none_as_null=True)),
    # The bot's rating if it was an anchor in this match, which does not change.
    sa.Column("anchor", sa.Float),
    # Its sandbox, if the host started it: "none", or a sandbox with its version.
    sa.Column("sandbox", sa.String(64)),
    # The resources of its process and its end, for the host and the bot's owner: JSON text of
    # process_report.py. NULL if the host has not started it.
    sa.Column("process", sa.Text),
    sa.Index(None, "bot_id", "match_id"),
    # Few seats forfeit: an index of those alone.
    sa.Index(
        "ix_seats_forfeits",
        "bot_id",
        "forfeit",
        "match_id",
        sqlite_where=sa.text("forfeit IS NOT NULL"),
        postgresql_where=sa.text("forfeit IS NOT NULL"),
    ),
)

uploads = sa.Table(
    "uploads",
    metadata,
    # Versions of bots that their authors uploaded, ascending in the order in which they came.
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), nullable=False),
    # From its manifest.
    sa.Column("version", sa.String(32), nullable=False),
    sa.Column("language", sa.String(32), nullable=False),
    sa.Column("games", sa.JSON, nullable=False),
    # Of the archive, in hexadecimal: its name in the folder of uploads.
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("uploaded_ms", sa.BigInteger, nullable=False),
    # received, building, validating, accepted, refused, disabled or removed
    sa.Column("state", sa.String(12), nullable=False),
    # Why it was refused, disabled or removed.
    sa.Column("detail", CauseText),
    # The output of building it, for its owner.
    sa.Column("build_log", sa.Text),
    # The folder of the program that was built of it, below the folder of all programs.
    sa.Column("program", sa.String(80)),
    # When it was accepted or refused.
    sa.Column("decided_ms", sa.BigInteger),
    # Since when its bot plays this accepted version: the latest of them that is built plays.
    sa.Column("preferred_ms", sa.BigInteger),
    # Of an accepted version that is to be built again: received, building or validating. It plays
    # what was built before, if that is there.
    sa.Column("again", sa.String(12)),
    # When its state, or how far building it again is, changed last.
    sa.Column("changed_ms", sa.BigInteger),
    # The sizes of the archive and of the program built of it; NULL where they were not measured.
    sa.Column("archive_bytes", sa.BigInteger),
    sa.Column("program_bytes", sa.BigInteger),
    # The network that it came from; only for a day, to count by it.
    sa.Column("network", sa.String(64)),
    # The replay of the match that it was refused for, or of its last match of validation.
    sa.Column("replay", sa.LargeBinary),
    # Its manifest, as JSON; NULL where it was not read yet.
    sa.Column("manifest", sa.Text),
    # How much speaks for it that it ends servers, while one works on it; else 0.
    sa.Column("strikes", sa.Integer, nullable=False, server_default="0"),
    sa.Index(None, "bot_id", "version"),
    sa.Index(None, "state"),
)

tournament_uploads = sa.Table(
    "tournament_uploads",
    metadata,
    # The versions that tournaments have begun to play with.
    sa.Column("tournament_id", sa.ForeignKey(tournaments.c.id), primary_key=True),
    sa.Column("upload_id", sa.ForeignKey(uploads.c.id), primary_key=True),
)

numbers = sa.Table(
    "numbers",
    metadata,
    # The counted things ("ladder": its matches), and the last number that was given; no row before
    # the first.
    sa.Column("name", sa.String(32), primary_key=True),
    sa.Column("last", sa.BigInteger, nullable=False),
)

play_sessions = sa.Table(
    "play_sessions",
    metadata,
    # Servers that play or played, where several can: see backends/play_session.py. The numbers
    # ascend; a server whose session has ended may write no more.
    sa.Column("id", sa.Integer, primary_key=True),
    # The process, in words.
    sa.Column("holder", sa.Text, nullable=False),
    # The claims that it alone plays, a JSON list of words.
    sa.Column("claims", sa.JSON, nullable=False),
    sa.Column("began_ms", sa.BigInteger, nullable=False),
    sa.Column("ended_ms", sa.BigInteger),
    # When it last said that it is there, by the clock of the database; NULL if it never does.
    sa.Column("seen_ms", sa.BigInteger),
)

game_servers = sa.Table(
    "game_servers",
    metadata,
    # Game servers that listen, each with a random word of its own: see game_servers.py.
    sa.Column("id", sa.String(32), primary_key=True),
    # Where bots and spectators reach it, and the name of its machine.
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("port", sa.Integer, nullable=False),
    sa.Column("machine", sa.Text, nullable=False),
    # The certificates that it shows, PEM; NULL without TLS.
    sa.Column("certificate", sa.Text),
    # The game, and for how many players; the tournament is NULL for a ladder.
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("tournament", sa.String(32)),
    sa.Column("live_delay_ms", sa.BigInteger, nullable=False),
    sa.Column("began_ms", sa.BigInteger, nullable=False),
    # When it last wrote that it lives.
    sa.Column("seen_ms", sa.BigInteger, nullable=False),
)

interventions = sa.Table(
    "interventions",
    metadata,
    # Interventions of hosts, or of the ladder in their name, on bots and ratings, in this order.
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("who", CauseText, nullable=False),
    # annul, recompute, suspend, resume or import
    sa.Column("action", sa.String(16), nullable=False),
    # NULL where it was done to all.
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), index=True),
    sa.Column("why", CauseText, nullable=False),
    # Of an annulment: the time that its matches ended after, and how many they were.
    sa.Column("since_ms", sa.BigInteger),
    sa.Column("matches", sa.Integer),
)

annulments = sa.Table(
    "annulments",
    metadata,
    # Matches whose results a host has annulled: they do not count for ratings.
    sa.Column("match_id", sa.ForeignKey(matches.c.id), primary_key=True),
    sa.Column("intervention_id", sa.ForeignKey(interventions.c.id), nullable=False),
)

imported_matches = sa.Table(
    "imported_matches",
    metadata,
    # Matches that were played elsewhere.
    sa.Column("match_id", sa.ForeignKey(matches.c.id), primary_key=True),
    sa.Column("intervention_id", sa.ForeignKey(interventions.c.id), nullable=False),
    # Where it came from, in words: a file, and the id of the match there.
    sa.Column("origin", sa.Text, nullable=False),
)

replays = sa.Table(
    "replays",
    metadata,
    sa.Column("match_id", sa.ForeignKey(matches.c.id), primary_key=True),
    sa.Column("document", sa.LargeBinary, nullable=False),
)

rating_changes = sa.Table(
    "rating_changes",
    metadata,
    # Ascending in the order in which the changes were applied: recomputing follows it.
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("match_id", sa.ForeignKey(matches.c.id), nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), nullable=False),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("before", sa.Float, nullable=False),
    sa.Column("after", sa.Float, nullable=False),
    # The rest of the pool: ratings of different pools are never compared.
    sa.Column("clock_class", sa.String(16), nullable=False, server_default="unknown"),
    sa.Column("variant", sa.Text, nullable=False, server_default=""),
    sa.Column("system", sa.String(16), nullable=False, server_default="elo"),
    # The version that the bot declared, "" for none; what it came to is kept beside the rating.
    sa.Column("version", sa.Text, nullable=False, server_default=""),
    # The deviation after the match, and the K that was used; NULL where there is none.
    sa.Column("deviation", sa.Float, nullable=False, server_default="350"),
    sa.Column("k_factor", sa.Float),
    sa.UniqueConstraint("match_id", "seat"),
    sa.Index(None, "bot_id", "game", "players", "id"),
)

ratings = sa.Table(
    "ratings",
    metadata,
    # The last rating change of each bot: what a ladder page reads.
    sa.Column("game", sa.String(64), primary_key=True),
    sa.Column("players", sa.Integer, primary_key=True),
    sa.Column("system", sa.String(16), primary_key=True, server_default="elo"),
    sa.Column("clock_class", sa.String(16), primary_key=True, server_default="unknown"),
    sa.Column("variant", sa.Text, primary_key=True, server_default=""),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), primary_key=True),
    sa.Column("rating", sa.Float, nullable=False),
    sa.Column("deviation", sa.Float, nullable=False, server_default="350"),
    # Matches of all versions.
    sa.Column("games", sa.Integer, nullable=False),
    # The version that it played last: the rating is that version's.
    sa.Column("version", sa.Text, nullable=False, server_default=""),
    sa.Column("provisional", sa.Boolean, nullable=False, server_default=sa.true()),
    # Whether its rating was fixed in its last match.
    sa.Column("anchor", sa.Boolean, nullable=False, server_default=sa.false()),
    # When its last match ended; NULL if that is not known.
    sa.Column("last_ms", sa.BigInteger),
    sa.Index(None, "game", "players", "rating"),
)

version_ratings = sa.Table(
    "version_ratings",
    metadata,
    sa.Column("game", sa.String(64), primary_key=True),
    sa.Column("players", sa.Integer, primary_key=True),
    sa.Column("system", sa.String(16), primary_key=True),
    sa.Column("clock_class", sa.String(16), primary_key=True, server_default="unknown"),
    sa.Column("variant", sa.Text, primary_key=True, server_default=""),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), primary_key=True),
    sa.Column("version", sa.Text, primary_key=True),
    sa.Column("rating", sa.Float, nullable=False),
    sa.Column("deviation", sa.Float, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("provisional", sa.Boolean, nullable=False),
    # Its first match: versions in the order in which they came.
    sa.Column("first_match_id", sa.ForeignKey(matches.c.id), nullable=False),
)

opponent_sums = sa.Table(
    "opponent_sums",
    metadata,
    # The effect of each opponent on the rating of each bot: see ratings/opponent_bound.py.
    sa.Column("game", sa.String(64), primary_key=True),
    sa.Column("players", sa.Integer, primary_key=True),
    sa.Column("system", sa.String(16), primary_key=True),
    sa.Column("clock_class", sa.String(16), primary_key=True),
    sa.Column("variant", sa.Text, primary_key=True),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), primary_key=True),
    sa.Column("opponent_id", sa.ForeignKey(bots.c.id), primary_key=True),
    # In Elo, after the last match of the two.
    sa.Column("total", sa.Float, nullable=False),
    # The bot's matches up to it.
    sa.Column("games", sa.Integer, nullable=False),
)

pairing_pasts = sa.Table(
    "pairing_pasts",
    metadata,
    # The past of each bot of a ladder as pairing needs it: see ladder_summaries.py. Matches under
    # any rating system are one ladder.
    sa.Column("game", sa.String(64), primary_key=True),
    sa.Column("players", sa.Integer, primary_key=True),
    sa.Column("clock_class", sa.String(16), primary_key=True),
    sa.Column("variant", sa.Text, primary_key=True),
    sa.Column("bot_id", sa.ForeignKey(bots.c.id), primary_key=True),
    # The matches that it began, and the last of them.
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("last_match_id", sa.ForeignKey(matches.c.id), nullable=False),
    # How often it was at each seat, a JSON list.
    sa.Column("seats", sa.Text, nullable=False),
    # Its last opponents by name, the latest last, each with the number of its matches when they
    # met: a JSON object.
    sa.Column("met", sa.Text, nullable=False),
)
