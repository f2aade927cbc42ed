"""The open database that repositories share: transactions that read or write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_store.backends.backend import Backend, Fence, Play

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Database:
    """Transactions on one database.

    Attributes:
        backend: its kind, and its connections.
        address: where it is; as text without a password.
        play: the right to play into it, if this process has that.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.address = backend.address
        self.play: Play | None = None

    @property
    def fence(self) -> Fence | None:
        """The fence that transactions of a server pass before they write; None without ``play``."""
        return None if self.play is None else self.play.fence

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A read transaction: sees the present state and delays no writer.

        Raises:
            StoreError: the database cannot be read.
        """
        with as_store_error(self.backend), self.backend.reading.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A write transaction: durable when the context exits.

        Raises:
            StoreError: the database cannot be written, or another server has taken over.
        """
        with as_store_error(self.backend), self.backend.engine.begin() as connection:
            if self.fence is not None:
                self.fence.enter(connection)
            yield connection

    def check_in_place(self) -> None:
        """Refuse to write into a moved database, or beside another server.

        Raises:
            DatabaseGoneError: the database is away; it may come back.
            StoreError: another database, or server, has taken its place.
        """
        self.backend.check_in_place()
        if self.play is not None:
            self.play.check()


class Repository:
    """Base of repositories on an open database; each method is one transaction.

    Args:
        database: the open database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database


def reading(
    function: Callable[Concatenate[sa.Connection, Given], Result],
) -> Callable[Concatenate[Repository, Given], Result]:
    """Make a function of a connection a :class:`Repository` method in a read transaction."""

    @wraps(function)
    def method(self: Repository, /, *given: Given.args, **named: Given.kwargs) -> Result:
        with self._database.reading() as connection:
            return function(connection, *given, **named)

    return method


def writing(
    function: Callable[Concatenate[sa.Connection, Given], Result],
) -> Callable[Concatenate[Repository, Given], Result]:
    """Make it a method in a write transaction."""

    @wraps(function)
    def method(self: Repository, /, *given: Given.args, **named: Given.kwargs) -> Result:
        with self._database.writing() as connection:
            return function(connection, *given, **named)

    return method


@contextmanager
def as_store_error(backend: Backend) -> Iterator[None]:
    """Turn the errors of a database into ``StoreError`` with a sentence."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise StoreError(backend.sentence(error)) from error


def may_pass(backend: Backend, error: StoreError) -> bool:
    """Whether a retry may succeed after this error: see ``Backend.is_transient``."""
    cause = error.__cause__
    return backend.is_transient(cause if isinstance(cause, Exception) else error)
