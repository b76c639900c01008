"""The user's variables, as a list that is short whatever they are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType

from acp_jupyter.kernel.describing.frames import detail_of
from acp_jupyter.kernel.describing.preview import preview, type_name
from acp_jupyter.notebook_tools.kernel_runner import Variable, Variables

__all__ = ["list_variables", "variables_json"]

_MOST = 200
_MOST_SECONDS = 2.0
"""For all previews; later names are listed without."""
_PREVIEW_CHARS = 200
_NAME_CHARS = 200
_SHELLS_OWN = {"In", "Out", "get_ipython", "exit", "quit", "open"}
_PLAIN = ModuleType | FunctionType | BuiltinFunctionType | type


def list_variables(
    namespace: Mapping[str, object],
    hidden: Iterable[str] = (),
    clock: Callable[[], float] = time.monotonic,
) -> Variables:
    """Return the variables of a namespace, data before functions and modules.

    Parameters
    ----------
    namespace
        The user's.
    hidden
        Names that the shell has put there.
    clock
        Tells the seconds.
    """
    left_out = {*hidden, *_SHELLS_OWN}
    found = [
        (name, value)
        for name, value in _named(namespace)
        if not name.startswith("_") and name not in left_out
    ]
    found.sort(key=lambda pair: isinstance(pair[1], _PLAIN))  # otherwise as they were made
    end = clock() + _MOST_SECONDS
    told = [_variable(name, value, late=clock() > end) for name, value in found[:_MOST]]
    return Variables(variables=tuple(told), more=max(0, len(found) - _MOST))


def _named(namespace: Mapping[str, object]) -> list[tuple[str, object]]:
    """Return the pairs of a mapping that code may have put anything into."""
    pairs: list[tuple[object, object]] = list(namespace.items())
    return [(name, value) for name, value in pairs if isinstance(name, str)]


def variables_json(namespace: Mapping[str, object], hidden: Iterable[str] = ()) -> str:
    """Return the same as JSON."""
    return list_variables(namespace, hidden).model_dump_json()


def _variable(name: str, value: object, *, late: bool) -> Variable:
    detail = detail_of(value)
    shown = "" if late or detail.whole else preview(value, _PREVIEW_CHARS)
    # A lone surrogate is no text for JSON.
    kind, words, shown, name = (
        part.encode("utf-8", "replace").decode()
        for part in (type_name(value), detail.words, shown, name[:_NAME_CHARS])
    )
    return Variable(name=name, type=kind, detail=words, preview=shown)
