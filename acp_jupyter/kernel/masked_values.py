"""Masked values in texts: copies of them are in lists, errors and names.

A text that may hold more masked values than can be looked for is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.tables import MASKED, PLAIN_LIBRARIES, by_narwhals, hides_index
from acp_jupyter.kernel.values import (
    FAILURES,
    TimeUp,
    is_from_library,
    is_lazy,
    is_tabular,
    library_of,
    plain_frame,
    time_limit,
)

_NOTHING_SHOWN = "[not shown: it may hold masked values]"
_SECONDS = 1.0
_SEARCHED_CELLS = 20_000
"""Most masked values that are looked for in texts; where there are more, no text is shown."""
_SHORTEST = 3
"""Shorter values are not looked for: they are in any text."""
_VALUE_CHARS = 2_000
_SHORTEST_NUMBER = 4
_CUT_CHARS = 60


def covering(*namespaces: Mapping[str, object]) -> Callable[[str], str]:
    """Return a function that replaces the masked values of all tables of namespaces in a text.

    Errors, lists and texts can hold copies of them.
    """
    if not masks.active:
        return lambda text: text
    try:
        with time_limit(_SECONDS):
            found = _masked_values(namespaces)
    except (*FAILURES, TimeUp):
        found = None
    if found is None:
        return lambda text: _NOTHING_SHOWN if text else text
    longest_first = sorted(found, key=len, reverse=True)

    def cover(text: str) -> str:
        for value in longest_first:
            if value in text:
                text = text.replace(value, MASKED)
        return text

    return cover


def _masked_values(namespaces: Iterable[Mapping[str, object]]) -> set[str] | None:
    """Return the masked values as texts; None if there are too many."""
    found: set[str] = set()
    left = _SEARCHED_CELLS
    for name, table in _tables_in(namespaces):
        for column in _masked_columns(name, table):
            if column is None:
                return None
            left -= len(column)
            if left < 0:
                return None
            for each in column:
                found.update(_written(each))
    return found


def _tables_in(namespaces: Iterable[Mapping[str, object]]) -> Iterator[tuple[str, object]]:
    seen: set[int] = set()
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            if id(value) not in seen and is_tabular(value):
                seen.add(id(value))
                yield str(name), value  # code may have put in any key


def _masked_columns(name: str, table: Any) -> Iterator[Sequence[object] | None]:
    """Yield the values of each masked column; None if they can't be looked for."""
    if is_lazy(table) or library_of(table) == "xarray":
        return  # no value of it is in this process, or none is shown
    if is_from_library(table, "pandas", "Series") or is_from_library(table, "pandas", "DataFrame"):
        yield from _of_pandas(name, table)
        return
    found = by_narwhals(table)
    if found is None:
        yield None
    elif hasattr(found, "rows"):
        hidden = masks.which(found.columns, (name,), table)
        for label, masked in zip(found.columns, hidden, strict=True):
            if masked:
                yield _listed(found[label])
    elif masks.is_masked(getattr(found, "name", ""), None, table):
        yield _listed(found)


def _of_pandas(name: str, table: Any) -> Iterator[Sequence[object] | None]:
    frame = plain_frame(table)
    tables = (name,) if frame.ndim == 2 else None
    columns = frame.to_frame() if frame.ndim == 1 else frame
    for place, masked in enumerate(masks.which(columns.columns, tables, table)):
        if masked:
            yield _listed(columns.iloc[:, place])
    for place, label in enumerate(columns.columns.names):
        if label is not None and masks.is_masked(label, tables, table):
            yield _listed(columns.columns.get_level_values(place))
    if hides_index(name, table, frame.index):
        for place in range(frame.index.nlevels):
            yield _listed(frame.index.get_level_values(place))


def _listed(column: Any) -> Sequence[object] | None:
    if len(column) > _SEARCHED_CELLS:
        return None
    found: Sequence[object] = column.to_list()
    return found


def _written(value: object) -> Iterator[str]:
    """Yield how a value may be written in a text."""
    if type(value) is str:
        if len(value) >= _SHORTEST:
            text = value[:_VALUE_CHARS]
            yield text
            yield repr(text)[1:-1]
            if len(text) > _CUT_CHARS:  # as a preview cuts it
                yield text[:_CUT_CHARS]
                yield repr(text[:_CUT_CHARS])[1:-1]
    elif type(value) in {int, float} and len(str(value)) >= _SHORTEST_NUMBER:
        yield str(value)
    elif library_of(value) in PLAIN_LIBRARIES:
        text = str(value)
        if len(text) >= _SHORTEST_NUMBER and not text.startswith(("NaT", "<NA>")):
            yield text[:_VALUE_CHARS]
    elif isinstance(value, bytes) and len(value) >= _SHORTEST:
        yield repr(value[:_VALUE_CHARS])[2:-1]
