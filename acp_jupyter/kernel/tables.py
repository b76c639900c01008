"""Descriptions of tables and arrays for agents, without the values of masked columns.

pandas is read as it is, other libraries through narwhals if the kernel has it. A lazy table is
described by its columns: reading its rows could take any time. Nothing else is imported.
"""

from __future__ import annotations

import importlib
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.values import (
    FAILURES,
    TimeUp,
    is_from_library,
    is_lazy,
    is_tabular,
    library_of,
    plain_frame,
    preview,
    time_limit,
    times,
    type_name,
)
from acp_jupyter.protocol.formatting import quantity, shorten

MASKED = "[masked]"
_HEAD_ROWS = 5
_MAX_COLUMNS = 50
_MAX_LABELS = 100_000
_CELL_CHARS = 40
_SHOWN_VALUES = 10
_COUNTED_CELLS = 20_000_000
"""Largest table in which missing values are counted."""
_DISTINCT_ROWS = 10_000
"""Most rows in which distinct values are counted."""
_COUNTING_SECONDS = 0.3
"""Time for counting in all columns; later ones have no counts."""
PLAIN_LIBRARIES = {"datetime", "decimal", "uuid", "pathlib", "numpy", "pandas"}
_WITHOUT_NARWHALS = (
    "Its columns and rows are described where narwhals is installed (%pip install narwhals)."
)
_LAZY = "It is lazy: its rows are not read, as that could take long."


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what can be said of it."""

    name: str
    type: str
    masked: bool = False
    missing: int | None = None
    distinct: int | None = None

    def words(self, distinct_rows: int | None = None) -> str:
        """Return the column in a line; ``distinct_rows`` says in how many rows was counted."""
        if self.masked:
            return f"- {self.name}: {self.type.partition('(')[0]}, masked"
        facts = [self.type]
        if self.missing:
            facts.append(f"{self.missing} missing")
        if self.distinct is not None:
            within = "" if distinct_rows is None else f" in the first {distinct_rows:,} rows"
            facts.append(f"{self.distinct} distinct{within}")
        return f"- {self.name}: {', '.join(facts)}"


def column_labels(table: object) -> tuple[str, ...]:
    """Return the names of a table's columns, of its index too.

    Raises
    ------
    TypeError
        This is no table.
    """
    found: Any = table
    if is_from_library(table, "pandas", "Series"):
        return tuple(map(str, (found.name, *found.index.names)))
    if is_from_library(table, "pandas", "DataFrame"):
        names = (*found.columns, *found.index.names, *found.columns.names)
        return tuple(str(name) for name in names if name is not None)
    if is_from_library(table, "xarray", "Dataset"):
        return tuple(map(str, found.variables))
    if is_tabular(table):
        for name in ("columns", "column_names"):
            labels = getattr(found, name, None)
            if isinstance(labels, list | tuple) and all(isinstance(each, str) for each in labels):
                return tuple(labels)
        other = by_narwhals(table)
        if hasattr(other, "collect_schema"):
            return tuple(other.collect_schema().names())
    raise TypeError(f"A {type_name(table)} has no columns that could be masked.")


def describe_table(name: str, value: Any) -> str:
    """Return a table's size, its columns with types and counts, and its first rows."""
    if is_from_library(value, "pandas", "DataFrame"):
        return _pandas_frame(name, value)
    if is_from_library(value, "pandas", "Series"):
        return _pandas_series(name, value)
    if library_of(value) == "xarray":
        return _xarray(value)
    if is_from_library(value, "duckdb", "DuckDBPyRelation"):
        return _lazy(zip(value.columns, value.dtypes, strict=True), name, value)
    return _other_frame(name, value)


def _pandas_frame(name: str, value: Any) -> str:
    frame = plain_frame(value)
    rows, width = frame.shape
    shown = frame.iloc[:, :_MAX_COLUMNS]
    above = [label for label in frame.columns.names if label is not None]
    hides_labels = any(masks.is_masked(label, (name,), value) for label in above)
    counter = _Counter()
    columns = []
    for index, label in enumerate(shown.columns):
        column = shown.iloc[:, index]
        masked = masks.is_masked(label, (name,), value)
        missing = distinct = None
        if not masked:
            if rows * len(shown.columns) <= _COUNTED_CELLS:
                missing = counter.count(partial(_missing, column))
            distinct = counter.count(column.iloc[:_DISTINCT_ROWS].nunique)
        said = f"{MASKED} {index + 1}" if hides_labels else _short(label)
        columns.append(Column(said, str(column.dtype)[:_CELL_CHARS], masked, missing, distinct))
    lines = [f"DataFrame of {rows} rows × {width} columns.", "", "Columns:"]
    lines += _column_lines(columns, width, rows)
    lines += ["", _missing_words(columns), "", f"Index: {_index(name, value, frame.index)}"]
    if rows and width:
        head = shown.iloc[:_HEAD_ROWS]
        cells = [
            [
                MASKED if column.masked else cell_text(head.iat[row, place])
                for place, column in enumerate(columns)
            ]
            for row in range(len(head))
        ]
        labels = _index_cells(name, value, head.index)
        lines += ["", f"First {len(cells)} rows:", ""]
        lines.append(
            rows_text(
                ["", *(column.name for column in columns)],
                [[label, *row] for label, row in zip(labels, cells, strict=True)],
            )
        )
    return "\n".join(lines)


def _missing(column: Any) -> Any:
    return column.isna().sum()


def _pandas_series(name: str, value: Any) -> str:
    series = plain_frame(value)
    size = len(series)
    lines = [f"Series {shorten(repr(series.name), _CELL_CHARS)} of {size} values, {series.dtype}."]
    if masks.is_masked(series.name, None, value):
        return f"Series {shorten(repr(series.name), _CELL_CHARS)} of {size} values, masked."
    if size <= _COUNTED_CELLS:
        missing = int(series.isna().sum())
        lines.append(f"{missing} missing values." if missing else "No missing values.")
    lines += [f"Index: {_index(name, value, series.index)}", "", "First values:", ""]
    head = series.iloc[:_SHOWN_VALUES]
    labels = _index_cells(name, value, head.index)
    cells = [[label, cell_text(each)] for label, each in zip(labels, head, strict=True)]
    lines.append(rows_text(["", _short(series.name)], cells))
    return "\n".join(lines)


def hides_index(name: str, table: object, index: Any) -> bool:
    """Return whether the labels of a pandas table's rows are masked."""
    labels = [label for label in index.names if label is not None]
    return any(masks.is_masked(label, (name,), table) for label in labels)


def _index(name: str, table: object, index: Any) -> str:
    named = f" {shorten(repr(index.name), _CELL_CHARS)}" if index.name is not None else ""
    if hides_index(name, table, index):
        return f"{type(index).__name__}{named}, masked"
    ends = f", from {cell_text(index[0])} to {cell_text(index[-1])}" if len(index) else ""
    return f"{type(index).__name__}{named}{ends}"


def _index_cells(name: str, table: object, index: Any) -> list[str]:
    hidden = hides_index(name, table, index)
    return [MASKED if hidden else cell_text(label) for label in index]


def _other_frame(name: str, value: Any) -> str:
    found = by_narwhals(value)
    if found is None:
        shape = "" if is_lazy(value) or masks.active else preview(value, 8000)
        return "\n".join(part for part in (_WITHOUT_NARWHALS, shape) if part)
    if not hasattr(found, "rows"):
        if hasattr(found, "collect_schema"):
            return _lazy(found.collect_schema().items(), name, value)
        return _one_column(value, found)
    rows, width = found.shape
    schema = dict(itertools.islice(found.schema.items(), _MAX_COLUMNS))
    counter = _Counter()
    columns = []
    for label, kind in schema.items():
        masked = masks.is_masked(label, (name,), value)
        missing = distinct = None
        if not masked:
            column = found[label]
            if rows * len(schema) <= _COUNTED_CELLS:
                missing = counter.count(column.null_count)
            distinct = counter.count(column.head(_DISTINCT_ROWS).drop_nulls().n_unique)
        columns.append(Column(_short(label), str(kind)[:_CELL_CHARS], masked, missing, distinct))
    lines = [f"{_short(type_name(value))} of {rows} rows × {width} columns.", "", "Columns:"]
    lines += _column_lines(columns, width, rows)
    lines += ["", _missing_words(columns)]
    shown = [label for label, column in zip(schema, columns, strict=True) if not column.masked]
    if rows and shown:
        taken = found.select(*shown).head(_HEAD_ROWS).rows()
        cells = []
        for row in taken:
            values = iter(row)
            cells.append(
                [MASKED if column.masked else cell_text(next(values)) for column in columns]
            )
        lines += ["", f"First {len(cells)} rows:", ""]
        lines.append(rows_text([column.name for column in columns], cells))
    return "\n".join(lines)


def _one_column(value: object, series: Any) -> str:
    if masks.is_masked(series.name, None, value):
        return f"Column {_short(series.name)} of {len(series)} values, masked."
    first = ", ".join(cell_text(each) for each in series.head(_SHOWN_VALUES).to_list())
    return (
        f"Column {_short(series.name)} of {len(series)} values, {series.dtype}.\n"
        f"{series.null_count()} missing values.\nFirst values: {first}"
    )


def _lazy(schema: Iterable[tuple[Any, Any]], name: str, value: object) -> str:
    """Return the columns of a table whose rows nobody has computed."""
    found = list(itertools.islice(schema, _MAX_LABELS))
    columns = [
        Column(_short(label), str(kind)[:_CELL_CHARS], masks.is_masked(label, (name,), value))
        for label, kind in found[:_MAX_COLUMNS]
    ]
    head = f"{quantity(len(found), 'column')}. {_LAZY}"
    return "\n".join([head, "", "Columns:", *_column_lines(columns, len(found), None)])


def _xarray(value: Any) -> str:
    """Return the dimensions and the variables; their values may be anywhere, and are not read."""
    sizes = ", ".join(f"{_short(name)} {size}" for name, size in dict(value.sizes).items())
    lines = [f"xarray {type(value).__name__}. Dimensions: {sizes or 'none'}."]
    parts = [("Coordinates", value.coords)]
    if hasattr(value, "data_vars"):
        parts.insert(0, ("Variables", value.data_vars))
    else:
        lines.append(f"Type {value.dtype}, name {_short(value.name)}.")
    for heading, found in parts:
        lines += ["", f"{heading}:"]
        for label, each in itertools.islice(found.items(), _MAX_COLUMNS):
            dims = ", ".join(map(_short, each.dims))
            lines.append(f"- {_short(label)}: {each.dtype} ({dims})")
        if len(found) > _MAX_COLUMNS:
            lines.append(f"- … {len(found) - _MAX_COLUMNS} more")
    return "\n".join(lines)


def by_narwhals(value: object) -> Any:
    """Return a narwhals view of a table; None without narwhals, or if it doesn't know the type."""
    try:
        narwhals = importlib.import_module("narwhals.stable.v1")
        found = narwhals.from_native(value, pass_through=True, allow_series=True)
    except FAILURES:
        return None
    return None if found is value else found


class _Counter:
    """Counts until the time is up."""

    def __init__(self) -> None:
        self._end = time.monotonic() + _COUNTING_SECONDS

    def count(self, counting: Callable[[], Any]) -> int | None:
        """Return a count; None where there is no time, or its values can't be counted."""
        left = self._end - time.monotonic()
        if left <= 0:
            return None
        try:
            with time_limit(left):
                return int(counting())
        except (*FAILURES, TimeUp):
            return None


def _column_lines(columns: Sequence[Column], width: int, rows: int | None) -> list[str]:
    within = _DISTINCT_ROWS if rows is not None and rows > _DISTINCT_ROWS else None
    lines = [column.words(within) for column in columns]
    if width > len(columns):
        lines.append(f"- … {width - len(columns)} more columns")
    return lines


def _missing_words(columns: Sequence[Column]) -> str:
    counts = [column.missing for column in columns if not column.masked]
    if any(count is None for count in counts):
        return "Too large to count all missing values here."
    missing = sum(count or 0 for count in counts)
    return f"{missing} missing values." if missing else "No missing values."


def describe_array(name: str, array: Any) -> str:
    """Return an array's shape, type, first values, and range if it holds numbers."""
    lines = [f"numpy array of shape {times(array.shape)}, {shorten(str(array.dtype), 400)}."]
    if any(masks.is_masked(field, (name,), array) for field in array.dtype.names or ()):
        return f"{lines[0]} It has masked fields, so no values are shown."
    if array.size and array.dtype.kind in "iuf" and array.size <= _COUNTED_CELLS:
        numbers = array[array == array]  # NaN is not itself
        if numbers.size:
            lines.append(f"Smallest {numbers.min()}, largest {numbers.max()}.")
        missing = array.size - numbers.size
        lines.append(f"{missing} NaN." if missing else "No NaN.")
    if array.size and array.dtype.kind != "O":
        first = [
            shorten(str(array.flat[index]), _CELL_CHARS)
            for index in range(min(array.size, _SHOWN_VALUES))
        ]
        lines.append(f"First values: {', '.join(first)}")
    return "\n".join(lines)


def rows_text(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows as a table of Markdown."""
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '¦') for cell in line)} |" for line in lines)


def cell_text(value: object, most: int = _CELL_CHARS) -> str:
    """Return a cell's value in a short line; never raises, never takes long."""
    if type(value) is str:
        text = value[: 2 * most]
    elif library_of(value) in PLAIN_LIBRARIES and not hasattr(type(value), "__len__"):
        try:
            text = str(value)
        except FAILURES:
            text = "?"
    else:
        text = preview(value, most)
    return shorten(" ".join(text.split()), most)


def _short(label: object) -> str:
    try:
        text = str(label)
    except FAILURES:
        text = "?"
    return shorten(" ".join(text[:200].split()), _CELL_CHARS)
