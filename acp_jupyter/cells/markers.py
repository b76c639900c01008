"""nbval's markers of cells, as comments and as tags, so that a notebook works with both tools."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any


class Markers(Enum):
    """The markers of a cell."""

    SKIP = auto()
    IGNORE_OUTPUT = auto()
    RAISES = auto()


_COMMENTS = {
    "NBVAL_SKIP": Markers.SKIP,
    "NBVAL_IGNORE_OUTPUT": Markers.IGNORE_OUTPUT,
    "NBVAL_RAISES_EXCEPTION": Markers.RAISES,
}
_TAGS = {
    **{name.lower().replace("_", "-"): marker for name, marker in _COMMENTS.items()},
    "raises-exception": Markers.RAISES,
}


def markers_of(cell: Any) -> set[Markers]:
    """Return the markers of a cell."""
    tags = cell.metadata.get("tags", ())
    lines = (line.strip() for line in cell.source.splitlines())
    comments = {line.lstrip("#").strip() for line in lines if line.startswith("#")}
    found = {_COMMENTS[each] for each in comments if each in _COMMENTS}
    return found | {_TAGS[tag] for tag in tags if isinstance(tag, str) and tag in _TAGS}
