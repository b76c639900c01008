"""Tables and arrays: their shape, types, first rows and missing values.

Nothing here imports the libraries: a value of one of them shows that it is there already.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from acp_jupyter.kernel.describing.preview import FAILURES, TimeUp, time_limit

_HEAD_ROWS = 5
_MOST_COLUMNS = 50
_LINE_CHARS = 600
_CELL_CHARS = 40
_COUNTED_CELLS = 20_000_000
"""Of a table in which missing values are counted."""
_SHOWN_VALUES = 10
_DETAIL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Detail:
    """What can be told of a value without looking at all of it."""

    words: str = ""
    whole: bool = False
    """Whether its repr would add little, or cost much."""


def is_from_library(value: object, module: str, name: str) -> bool:
    """Tell whether a value is of a class of a library, or of one derived from it."""
    library = sys.modules.get(module)
    kind = None if library is None else getattr(library, name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def detail_of(value: object) -> Detail:
    """Return shape, dtype or length; never raises, never takes long."""
    try:
        with time_limit(_DETAIL_SECONDS):
            return _detail_of(value)
    except (*FAILURES, TimeUp):
        return Detail()


def _detail_of(value: Any) -> Detail:
    if is_from_library(value, "pandas", "DataFrame"):
        rows, columns = value.shape
        names = ", ".join(_cut(str(name)) for name in list(value.columns[:_SHOWN_VALUES]))
        more = f", … {columns - _SHOWN_VALUES} more" if columns > _SHOWN_VALUES else ""
        return Detail(f"{rows} rows × {columns} columns: {names}{more}", whole=True)
    if is_from_library(value, "pandas", "Series"):
        return Detail(f"{len(value)} values, {value.dtype}, name {_cut(str(value.name))}", True)
    if is_from_library(value, "numpy", "ndarray"):
        return Detail(f"{_times(value.shape)}, {value.dtype}", value.size > _SHOWN_VALUES)
    shape = getattr(value, "shape", None) if _has(value, "shape") else None
    if isinstance(shape, tuple):
        return Detail(_times(shape), whole=True)
    if _has(value, "__len__"):
        return Detail(f"length {len(value)}")
    return Detail()


def describe_frame(frame: Any) -> str:
    """Return a DataFrame's shape, columns with types and missing values, and first rows."""
    rows, columns = frame.shape
    shown = frame.iloc[:, :_MOST_COLUMNS]
    missing = shown.isna().sum().tolist() if rows * columns <= _COUNTED_CELLS else None
    lines = [f"DataFrame of {rows} rows × {columns} columns.", "", "Columns:"]
    for place, (name, kind) in enumerate(zip(shown.columns, shown.dtypes, strict=True)):
        gaps = f", {missing[place]} missing" if missing is not None and missing[place] else ""
        lines.append(f"- {_cut(str(name))}: {kind}{gaps}")
    if columns > _MOST_COLUMNS:
        lines.append(f"- … {columns - _MOST_COLUMNS} more columns")
    lines.append("")
    lines.append(
        "No missing values."
        if missing is not None and not any(missing)
        else f"{sum(missing)} missing values."
        if missing is not None
        else "Too large to count missing values here."
    )
    lines += ["", f"Index: {_index(frame.index)}"]
    if rows and columns:
        head = _table(shown.head(_HEAD_ROWS))
        lines += ["", f"First {min(rows, _HEAD_ROWS)} rows:", "", head]
    return "\n".join(lines)


def describe_series(series: Any) -> str:
    """Return a Series' length, type, missing values and first values."""
    size = len(series)
    lines = [f"Series {_cut(repr(series.name))} of {size} values, {series.dtype}."]
    if size <= _COUNTED_CELLS:
        missing = int(series.isna().sum())
        lines.append(f"{missing} missing values." if missing else "No missing values.")
    lines += [f"Index: {_index(series.index)}", "", "First values:", ""]
    lines.append(_table(series.head(_SHOWN_VALUES)))
    return "\n".join(lines)


def describe_array(array: Any) -> str:
    """Return an array's shape, type, first values, and range where it is of numbers."""
    lines = [f"numpy array of shape {_times(array.shape)}, {array.dtype}."]
    if array.size and array.dtype.kind in "iuf" and array.size <= _COUNTED_CELLS:
        numbers = array[array == array]  # NaN is not itself
        if numbers.size:
            lines.append(f"Smallest {numbers.min()}, largest {numbers.max()}.")
        missing = array.size - numbers.size
        lines.append(f"{missing} NaN." if missing else "No NaN.")
    if array.size and array.dtype.kind != "O":
        first = [_cut(str(array.flat[place])) for place in range(min(array.size, _SHOWN_VALUES))]
        lines.append(f"First values: {', '.join(first)}")
    return "\n".join(lines)


def _table(values: Any) -> str:
    """Return the few rows as text, no cell of it long."""
    frame = values if hasattr(values, "columns") else values.to_frame()
    text = str(frame.to_string(max_colwidth=_CELL_CHARS))
    return "\n".join(_cut(line, _LINE_CHARS) for line in text.splitlines())


def _index(index: Any) -> str:
    name = f" {_cut(repr(index.name))}" if index.name is not None else ""
    ends = f", from {_cut(str(index[0]))} to {_cut(str(index[-1]))}" if len(index) else ""
    return f"{type(index).__name__}{name}{ends}"


def _times(shape: tuple[Any, ...]) -> str:
    return " × ".join(_cut(str(size)) for size in shape) if shape else "one value"


def _cut(text: str, most: int = _CELL_CHARS) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _has(value: object, name: str) -> bool:
    """Tell whether a value's class has it: asking the value itself may run its code."""
    return any(name in vars(kind) for kind in type(value).__mro__)
