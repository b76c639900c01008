"""What ``@`` names beside variables, files and cells: names of other packages, by entry points.

An entry point of the group ``acp_jupyter.context`` is an object, such as a module, with two
functions: ``complete(typed)`` returns names, and ``describe(name)`` returns a text, or None for a
name that it doesn't know. In a prompt the names are ``@ENTRY_POINT:NAME``. They run in the kernel.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from acp_jupyter.kernel.masked_values import covering
from acp_jupyter.kernel.values import FAILURES, TimeUp, time_limit
from acp_jupyter.protocol.formatting import shorten_end

GROUP = "acp_jupyter.context"
_MAX_PROVIDERS = 20
_MAX_NAMES = 100
"""Most names of a provider that are offered at once."""
_NAME_CHARS = 200
_COMPLETE_SECONDS = 1.0
"""Time of each provider to load and to complete a name."""
_DESCRIBE_SECONDS = 5.0
_MAX_CHARS = 12_000


def offered_names(typed: str) -> list[str]:
    """Return the names of providers that fit what was typed; those of one that fails are left out.

    Parameters
    ----------
    typed
        What stands after ``@``, such as ``shop:or``.
    """
    provider, colon, part = typed.partition(":")
    found: list[str] = []
    for name, point in _points().items():
        if name != provider if colon else not name.startswith(provider):
            continue
        try:
            with time_limit(_COMPLETE_SECONDS):
                names = _function(point, "complete")(part if colon else "")
                given = [each for each in itertools.islice(names, _MAX_NAMES) if _fits(each)]
        except (*FAILURES, TimeUp):
            continue
        found += [f"{name}:{each}" for each in given if each.startswith(part)]
    return found


def provided_text(name: str, namespace: Mapping[str, object]) -> str | None:
    """Return the description of a name of a provider; None if there is none of this name.

    An error of a provider is said in the place of its description.
    """
    provider, colon, part = name.partition(":")
    point = _points().get(provider) if colon and _fits(part) else None
    if point is None:
        return None
    try:
        with time_limit(_DESCRIBE_SECONDS):
            text = _function(point, "describe")(part)
    except TimeUp:
        return f"{name}\nDescribing it took longer than {_DESCRIBE_SECONDS:g} s."
    except FAILURES as error:
        return f"{name}\nDescribing it failed: {type(error).__name__}."
    if text is None:
        return None
    if not isinstance(text, str):
        return f"{name}\nIts description is no text."
    return covering(namespace)(f"{name}\n{shorten_end(text, _MAX_CHARS)}")


def _points() -> dict[str, EntryPoint]:
    return _installed(tuple(sys.path))


@lru_cache(maxsize=1)
def _installed(_path: tuple[str, ...]) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if _fits(point.name) and ":" not in point.name and len(found) < _MAX_PROVIDERS:
            found.setdefault(point.name, point)
    return found


def _function(point: EntryPoint, name: str) -> Callable[[str], Any]:
    function: Callable[[str], Any] = getattr(point.load(), name)
    return function


def _fits(name: object) -> bool:
    """Return whether a name can stand after ``@``: a text in one word."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= _NAME_CHARS
        and name.isprintable()
        and not any(sign.isspace() or sign in "@'\"\\" for sign in name)
    )
