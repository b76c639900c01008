"""Short texts for values of any size and with any ``__repr__``; tables and arrays.

`time_limit` ends code that takes too long.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import Any

from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.system.portable import is_portable

NO_REPR = "<its repr fails>"
_MAX_ITEMS = 6
_MAX_DEPTH = 3
_MAX_BITS = 4000
_MAX_LENGTH = 1000
"""Longest container whose own ``__repr__`` is called."""
_LOOKED_AT = 50
_REPR_SECONDS = 0.2
_OPEN_CLOSE: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    dict: ("{", "}"),
}


def preview(value: object, max_chars: int = 200) -> str:
    """Return a short repr or a stand-in; never raises, never takes long."""
    try:
        text = _preview(value, max_chars, _MAX_DEPTH)
    except FAILURES:
        return NO_REPR
    return shorten(text, max_chars)


def type_name(value: object) -> str:
    """Return the name of a value's type, with its module unless that is built in."""
    kind = type(value)
    module = str(getattr(kind, "__module__", ""))
    name = str(getattr(kind, "__qualname__", kind.__name__))
    return name if module in {"builtins", "__main__"} else f"{module.partition('.')[0]}.{name}"


def _preview(value: object, most: int, depth: int) -> str:
    kind = type(value)
    if kind in {str, bytes, bytearray}:
        return _text(value, most)  # type: ignore[arg-type]
    if kind is int:
        bits = value.bit_length()  # type: ignore[attr-defined]
        return repr(value) if bits <= _MAX_BITS else f"<int of {bits} bits>"
    if kind in {bool, float, complex, type(None), type(...), range}:
        return repr(value)
    if isinstance(value, ModuleType):
        return f"<module {value.__name__}>"
    if kind in _OPEN_CLOSE:
        return _container(value, most, depth)
    if is_tabular(value):
        return f"<{type_name(value)}>"  # its repr may compute its rows, or show masked columns
    return _own_repr(value)


def _text(value: str | bytes | bytearray, most: int) -> str:
    shown = repr(value[:most])
    return shown if len(value) <= most else f"{shown}… ({len(value)} long)"


def _container(value: Any, most: int, depth: int) -> str:
    opening, closing = _OPEN_CLOSE[type(value)]
    if depth == 0:
        return f"{opening}…{closing}" if value else f"{opening}{closing}"

    def short(item: object) -> str:
        return _preview(item, max(20, most // 2), depth - 1)

    parts = _items(value, short)
    if isinstance(value, set | frozenset) and not value:
        return f"{type(value).__name__}()"
    if isinstance(value, tuple) and len(value) == 1:
        parts.append("")
    if len(value) > _MAX_ITEMS:
        parts.append(f"… {len(value) - _MAX_ITEMS} more")
    return f"{opening}{', '.join(parts).rstrip() if parts else ''}{closing}"


def _items(value: Any, short: Callable[[object], str]) -> list[str]:
    first: Iterable[Any] = itertools.islice(
        value.items() if isinstance(value, dict) else value, _MAX_ITEMS
    )
    if isinstance(value, dict):
        return [f"{short(key)}: {short(item)}" for key, item in first]
    return [short(item) for item in first]


def _own_repr(value: object) -> str:
    """Return a value's own repr, if it has one that is probably short."""
    own = type(value).__repr__
    if own is object.__repr__:
        return f"<{type_name(value)}>"
    if _length(value) > _MAX_LENGTH:
        return f"<{type_name(value)}, {_length(value)} long>"
    if any(is_tabular(part) or _length(part) > _MAX_LENGTH for part in _parts(value)):
        return f"<{type_name(value)}>"
    if isinstance(own, type(_own_repr)) and not can_limit():
        return f"<{type_name(value)}>"  # Python code that could not be stopped
    try:
        with time_limit(_REPR_SECONDS):
            text = repr(value)
    except TimeUp:
        return f"<{type_name(value)}: its repr takes too long>"
    return text


def _parts(value: object) -> Iterable[object]:
    """Return a value's first attributes: a repr often holds them."""
    attributes = getattr(value, "__dict__", None)
    values = attributes.values() if type(attributes) is dict else ()
    return tuple(itertools.islice(values, _LOOKED_AT))


def _length(value: object) -> int:
    for name in ("size", "__len__"):
        try:
            found = getattr(type(value), name, None)
            if name == "size" and found is not None:
                size = getattr(value, "size", 0)
                return size if type(size) is int else 0
            if found is not None:
                return len(value)  # type: ignore[arg-type]
        except FAILURES:
            continue
    return 0


FAILURES = (Exception, SystemExit, GeneratorExit)
"""Exceptions of foreign code; KeyboardInterrupt is the user's."""

_AGAIN_SECONDS = 0.05


class TimeUp(BaseException):
    """The time limit has passed. No `Exception`, so that code does not catch it by chance."""


_depth = 0
"""Depth of nested time limits; used on the main thread only."""


def can_limit() -> bool:
    """Return whether a time limit works: on the main thread.

    It does not if the user's program uses the process's only timer.
    """
    if sys.platform == "win32" or is_portable():
        return threading.current_thread() is threading.main_thread()
    else:
        return threading.current_thread() is threading.main_thread() and (
            _depth > 0 or not signal.getitimer(signal.ITIMER_REAL)[0]
        )


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` in the ``with`` block after ``seconds``, if `can_limit`.

    A long call into C is stopped at its end only.
    """
    global _depth
    if not can_limit():
        yield
    elif sys.platform == "win32" or is_portable():
        with _limited_by_thread(seconds):
            yield
    else:
        over = False

        def ring(_number: int, _frame: FrameType | None) -> None:
            if not over:
                raise TimeUp

        begun = time.monotonic()
        handler = signal.signal(signal.SIGALRM, ring)
        # Repeatedly: code with a bare ``except`` swallows one.
        left, _ = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
        _depth += 1
        try:
            try:
                yield
            finally:
                over = True  # should it ring just before this, the rest is done all the same
        finally:
            _depth -= 1
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            if _depth:  # the outer limit goes on
                left = max(0.001, left - (time.monotonic() - begun))
                signal.setitimer(signal.ITIMER_REAL, left, _AGAIN_SECONDS)


@contextlib.contextmanager
def _limited_by_thread(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` where there is no timer: a thread does, between two steps of Python code."""
    thread, lock, over = threading.get_ident(), threading.Lock(), threading.Event()

    def ring() -> None:
        pause = seconds
        while not over.wait(pause):
            with lock:
                if not over.is_set():
                    _raise_in(thread, TimeUp)
            pause = _AGAIN_SECONDS

    threading.Thread(target=ring, name="acp-time-limit", daemon=True).start()
    try:
        yield
    finally:
        try:
            over.set()
        finally:  # should it ring just before this
            over.set()
            with lock:
                _raise_in(thread, None)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread, or take back what it has not raised yet."""
    wanted = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), wanted)


_CELL_CHARS = 40
_SHOWN_VALUES = 10
_DETAIL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class ValueDetail:
    """Facts about a value that cost little: shape, dtype, length."""

    words: str = ""
    whole: bool = False
    """Whether the repr would add little or cost much."""


def is_from_library(value: object, module: str, name: str) -> bool:
    """Return whether a value is an instance of a library's class or a subclass."""
    library = sys.modules.get(module)
    kind = None if library is None else getattr(library, name, None)
    return isinstance(kind, type) and isinstance(value, kind)


_LAZY_LIBRARIES = {
    *("daft", "dask", "datafusion", "duckdb", "ibis", "pyspark", "sqlframe", "snowflake", "vaex"),
}
_TABLE_LIBRARIES = {"cudf", "modin", "polars", "pyarrow", "xarray"}
_SHAPES = ("shape", "sizes", "__arrow_c_stream__", "__arrow_c_array__")
_LAZY_NAMES = {"DataFrame", "DuckDBPyRelation", "Expr", "LazyFrame", "Series", "Table"}


def library_of(value: object) -> str:
    """Return the name of the library that a value's type comes from."""
    module = str(getattr(type(value), "__module__", ""))
    return module.partition(".")[0].lstrip("_")


def is_lazy(value: object) -> bool:
    """Return whether a table's rows are computed when somebody asks for them, or for its length."""
    if library_of(value) == "polars":
        return type(value).__name__ == "LazyFrame"
    return library_of(value) in _LAZY_LIBRARIES and any(
        kind.__name__ in _LAZY_NAMES for kind in type(value).__mro__
    )


def is_tabular(value: object) -> bool:
    """Return whether a value is a table or a column of one, of any library."""
    if isinstance(value, type):
        return False
    return (
        is_from_library(value, "pandas", "DataFrame")
        or is_from_library(value, "pandas", "Series")
        or is_lazy(value)
        or (library_of(value) in _TABLE_LIBRARIES and any(_has(value, each) for each in _SHAPES))
    )


def plain_frame(value: Any) -> Any:
    """Return a DataFrame or Series of pandas without what a subclass changes."""
    pandas = sys.modules["pandas"]
    for kind in (pandas.DataFrame, pandas.Series):
        if isinstance(value, kind):
            return value if type(value) is kind else kind(value)
    return value


def detail_of(value: object) -> ValueDetail:
    """Return shape, dtype or length; never raises, never takes long."""
    try:
        with time_limit(_DETAIL_SECONDS):
            return _detail_of(value)
    except (*FAILURES, TimeUp):
        return ValueDetail()


def _detail_of(value: Any) -> ValueDetail:
    if is_lazy(value):
        return ValueDetail("lazy", whole=True)
    if is_from_library(value, "pandas", "DataFrame") or is_from_library(value, "pandas", "Series"):
        value = plain_frame(value)
    if is_from_library(value, "pandas", "DataFrame"):
        rows, columns = value.shape
        names = ", ".join(
            shorten(str(name), _CELL_CHARS) for name in list(value.columns[:_SHOWN_VALUES])
        )
        more = f", … {columns - _SHOWN_VALUES} more" if columns > _SHOWN_VALUES else ""
        return ValueDetail(f"{rows} rows × {columns} columns: {names}{more}", whole=True)
    if is_from_library(value, "pandas", "Series"):
        return ValueDetail(
            f"{len(value)} values, {value.dtype}, name {shorten(str(value.name), _CELL_CHARS)}",
            True,
        )
    if is_from_library(value, "numpy", "ndarray"):
        return ValueDetail(f"{times(value.shape)}, {value.dtype}", value.size > _SHOWN_VALUES)
    shape = getattr(value, "shape", None) if _has(value, "shape") else None
    if isinstance(shape, tuple):
        return ValueDetail(times(shape), whole=True)
    if _has(value, "__len__"):
        return ValueDetail(f"length {len(value)}")
    return ValueDetail()


def times(shape: tuple[Any, ...]) -> str:
    """Return a shape in words."""
    return " × ".join(shorten(str(size), _CELL_CHARS) for size in shape) if shape else "one value"


def _has(value: object, name: str) -> bool:
    """Return whether a value's class has an attribute; on the value it may run code."""
    return any(name in vars(kind) for kind in type(value).__mro__)
