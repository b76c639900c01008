"""Limits how much of a message is read; the session's traffic log has all of it.

Every value of a message takes time at each step: it is normalised, parsed, added to the transcript,
stored and sent to pages, while other sessions wait. So lists and objects are read up to a number of
values, and texts up to a length; a text that was cut says so. A permission request that was cut
can't be allowed, since nobody has seen all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from acp_jupyter.protocol.json import CAMEL_KEYS
from acp_jupyter.protocol.traffic import TEXT_KINDS
from acp_jupyter.protocol.version_2.meta_keys import CUT

MAX_VALUES = 10_000
"""Values in all objects and lists of a message together."""
MAX_PARTS = 2_000
"""Values in one object or list."""
MAX_CHARS = 1_000_000
"""Characters of one text, except those that are shown or written whole."""
_MAX_NAME_CHARS = 1_000
_MARKED_VALUES = 10
"""Room for the mark of a tool call, so that a message that was cut is not cut again."""
_CUT_WORDS = " … the rest is in the session's traffic"
_WHOLE = frozenset({"text", "oldText", "newText", "data", "blob"})
"""Texts of content blocks and both sides of a diff have limits of their own."""


def cut_message(message: Any) -> Any:
    """Return the part of a message that is read; the same object if that is all of it.

    If something is left out, the message and its update or tool call are marked: see `CUT`.


    Parameters
    ----------
    message
        A message as JSON; what was cut before is left as it is.
    """
    writes = isinstance(message, Mapping) and message.get("method") == "fs/write_text_file"
    whole = _WHOLE | {"content"} if writes else _WHOLE
    if _fits(message, whole):
        return message
    cut = _Cut(message, whole).value()
    if isinstance(cut, dict):
        _mark(cut)
    return cut


def is_whole_chunk(message: Mapping[str, Any]) -> bool:
    """Return whether a plain message (see `is_plain`) is a chunk of text, all of which is read."""
    params = message["params"]
    update = params["update"]
    return (
        update["sessionUpdate"] in TEXT_KINDS
        and len(params["sessionId"]) <= MAX_CHARS
        and len(update.get("messageId", "")) <= MAX_CHARS
    )


def _fits(message: Any, whole: frozenset[str]) -> bool:
    """Return whether all of it is read; looks no further than the limits."""
    values = 0
    rest: list[tuple[str, Any]] = [("", message)]
    while rest:
        name, value = rest.pop()
        if isinstance(value, str):
            if len(value) > MAX_CHARS and CAMEL_KEYS.get(name, name) not in whole:
                return False
            continue
        if not isinstance(value, dict | list):
            continue
        values += len(value)
        if values > MAX_VALUES or len(value) > MAX_PARTS:
            return False
        if isinstance(value, list):
            rest += [("", each) for each in value if type(each) in _NESTED]
            continue
        if any(len(key) > _MAX_NAME_CHARS for key in value):
            return False
        rest += [(key, each) for key, each in value.items() if type(each) in _NESTED]
    return True


_NESTED = frozenset({dict, list, str})


class _Cut:
    """Takes values level by level, so that the outermost are kept."""

    def __init__(self, message: Any, whole: frozenset[str]) -> None:
        self._message = message
        self._whole = whole
        self._room = MAX_VALUES - _MARKED_VALUES

    def value(self) -> Any:
        """Return what is kept."""
        root: list[Any] = []
        level: list[tuple[Any, Any]] = [([self._message], root)]
        while level:
            level = [pair for source, target in level for pair in self._fill(source, target)]
        return root[0]

    def _fill(self, source: Any, target: Any) -> Iterator[tuple[Any, Any]]:
        """Take the values of one object or list; yield those that have values of their own."""
        most = min(MAX_PARTS - 1, self._room)
        self._room -= min(most, len(source))
        if isinstance(source, list):
            for value in islice(source, most):
                kept = self._kept("", value)
                target.append(kept)
                if isinstance(value, dict | list):
                    yield value, kept
            return
        for name, value in islice(source.items(), most):
            kept = self._kept(name, value)
            target[name[:_MAX_NAME_CHARS]] = kept
            if isinstance(value, dict | list):
                yield value, kept

    def _kept(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {}
        if isinstance(value, list):
            return []
        is_whole = CAMEL_KEYS.get(name, name) in self._whole
        if isinstance(value, str) and len(value) > MAX_CHARS and not is_whole:
            return value[: MAX_CHARS - len(_CUT_WORDS)] + _CUT_WORDS
        return value


def _mark(message: dict[str, Any]) -> None:
    params = message.get("params")
    if not isinstance(params, dict):
        return
    _mark_object(params)
    for name in ("update", "toolCall", "tool_call"):
        _mark_object(params.get(name))


def _mark_object(value: object) -> None:
    if isinstance(value, dict):
        meta = value.get("_meta")
        value["_meta"] = {CUT: True, **(meta if isinstance(meta, dict) else {})} | {CUT: True}


def is_cut(params: Mapping[str, Any]) -> bool:
    """Return whether a message's parameters were cut."""
    meta = params.get("_meta")
    return isinstance(meta, Mapping) and meta.get(CUT) is True
