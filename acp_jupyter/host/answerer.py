"""Who has answered, of those who may use a server."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SOMEBODY", "Answerer"]


@dataclass(frozen=True, slots=True)
class Answerer:
    """A person."""

    user: str = ""
    """As the server knows them; for the log."""
    shown_name: str = ""
    """The name that is shown with the answer; empty for the owner of the server, and for people
    without an account."""


SOMEBODY = Answerer()
"""Where there is one user alone, or nobody has answered."""
