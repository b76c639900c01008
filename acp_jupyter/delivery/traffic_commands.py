"""Reading a session's traffic page by page: what may be asked, and what comes back."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.traffic import Direction

__all__ = ["GetTraffic", "GetTrafficLine", "TrafficDetail", "TrafficLine", "TrafficPage"]


class GetTraffic(Model):
    """Lines of a session's traffic log that pass the filters, in their order.

    A place is where a line begins in the log, in bytes.
    """

    name: Literal["get_traffic"] = "get_traffic"
    session_id: str
    after: int | None = Field(default=None, ge=0)
    """The place to read on from: a page's ``end``. Without it the newest lines are read."""
    before: int | None = Field(default=None, ge=0)
    """The place to read back from: a page's ``start``."""
    limit: int = Field(default=200, ge=1, le=500)
    direction: Direction | None = None
    method: str = Field(default="", max_length=200)
    """The method, the kind of update or the kind of note; or part of it."""
    text: str = Field(default="", max_length=200)
    """What the line must hold; capital letters make no difference."""


class TrafficLine(Model):
    """A line of the log in short."""

    place: int
    seq: int
    at: float
    """Seconds since the epoch."""
    direction: Direction
    kind: Literal["request", "response", "error", "notification", "note", "unknown"]
    method: str = ""
    """ACP's method, also of the request that a response answers if that is near; a note's kind."""
    update: str = ""
    """The kind of a ``session/update``."""
    size: int
    """Bytes."""
    preview: str = ""
    """How its content begins."""


class TrafficPage(Model):
    """Result of ``get_traffic``.

    Looking is bounded too: a page may hold few lines or none although there are more.
    """

    lines: tuple[TrafficLine, ...]
    start: int
    """Everything from here..."""
    end: int
    """...to here was looked at."""
    size: int
    """Of the whole log, as far as its lines are complete."""


class GetTrafficLine(Model):
    """One line of the log, written out."""

    name: Literal["get_traffic_line"] = "get_traffic_line"
    session_id: str
    place: int = Field(ge=0)


class TrafficDetail(Model):
    """Result of ``get_traffic_line``."""

    place: int
    text: str
    """Its message as indented JSON."""
    cut: bool = False
    """Whether that is only its beginning."""
