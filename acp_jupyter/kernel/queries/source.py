"""What a query runs on, whatever its library is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

CLOSED = "The connection is closed. Ask the user to open it again."


class QueryError(Exception):
    """A query was refused or failed; the message says why and what to do."""

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in the place of a traceback of this package's code."""
        return [str(self)]


class DatabaseError(QueryError):
    """An error in a database's own words, which may hold values."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The columns of a result, and its rows as they are read."""

    columns: tuple[str, ...]
    rows: Iterator[Sequence[Any]]


class Source(Protocol):
    """A connection of its own, on which one query runs. Used in one thread at a time."""

    def check(self, sql: str) -> None:
        """Raise `QueryError` unless the query is one that reads, and no masked column."""

    def run(self, sql: str) -> Rows:
        """Begin a query that was checked."""

    def stop(self) -> None:
        """End the query that runs; may be called in any thread, and again."""

    def close(self) -> None:
        """Close the connection."""


def masked_words(columns: Sequence[str]) -> str:
    """Return why a query that names masked columns is refused."""
    named = ", ".join(sorted(dict.fromkeys(columns))[:10])
    return (
        f"The query reads what is masked: {named}. Nothing of it may leave the kernel, not even by "
        "an expression or a condition. Name only other columns."
    )
