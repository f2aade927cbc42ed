"""The errors of the tournament side: each one's message is a sentence that a host can act on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class TournamentError(Exception):
    """Anything that keeps a tournament or a store from doing what was asked."""


class ConfigurationError(TournamentError):
    """A tournament description that cannot be read or that says something impossible."""


class StoreError(TournamentError):
    """A database that cannot be opened, read or written."""


class UnknownOutcomeError(StoreError):
    """Whether a write is on the disk is not known: it is not to be tried again."""


class WritingEndedError(StoreError):
    """The process is to end, and the database could not be written: nothing more is written."""


class NotInStoreError(StoreError):
    """The database does not hold the named thing."""


class RunError(TournamentError):
    """A tournament that cannot go on; what was played is recorded."""


@contextmanager
def unwrap_single_error() -> Iterator[None]:
    """Raise, instead of a nursery's group of errors, the error that a host should read.

    That is the first ``TournamentError`` in the group, or what is alone in it; else the group.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        leaves = list(_leaves(group))
        told = [leaf for leaf in leaves if isinstance(leaf, TournamentError)] or leaves
        if len(leaves) > 1 and told is leaves:
            raise
        raise told[0] from told[0].__cause__


def first_of(group: BaseExceptionGroup[Exception]) -> Exception:
    """The first error of a group, or of the groups in it."""
    return next(leaf for leaf in _leaves(group) if isinstance(leaf, Exception))


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
