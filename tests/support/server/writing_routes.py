"""A row for each route that writes: its request, and its answer on a disk that takes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

__all__ = ["DONE", "GONE", "TOLD", "WORDS", "Place", "Row", "json_body"]

WORDS = r"an be written to the disk|can't be written|could not be written|could not be reverted"
TOLD = "Nothing can be written to the disk: "
GONE = (
    r"can't be answered|no such|already|no question|does not wait|not logged|no longer|There is no"
    "|not known here"
)
DONE = ""
"""Instead of words: it is carried out."""


@dataclass
class Place:
    """A server with something of everything."""

    root: Path
    user: httpx.Client
    ids: dict[str, str] = field(default_factory=dict)
    log: bytes = b""


@dataclass(frozen=True)
class Row:
    """A request, and what is answered where nothing can be written."""

    path: str
    """With the names of `Place.ids`."""
    body: Callable[[Place], dict[str, Any]] = lambda _: {}
    full: str = DONE
    read_only: str = DONE
    method: str = "POST"


def json_body(**fields: Any) -> Callable[[Place], dict[str, Any]]:
    def body(place: Place) -> dict[str, Any]:
        filled = {
            name: value.format(**place.ids, root=place.root) if isinstance(value, str) else value
            for name, value in fields.items()
        }
        return {"json": filled}

    return body
