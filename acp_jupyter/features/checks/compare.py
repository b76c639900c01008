"""Compares the outputs of a cell as nbval does: by kind, without what differs in each run.

Streams of a name are joined; results and displays are compared by MIME type. Execution counts,
metadata, tracebacks and the ids of widgets don't count. Pictures don't count either: their bytes
depend on the versions of the plotting libraries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acp_jupyter.features.checks.report import OutputDifference
from acp_jupyter.transcript.escaping import without_ansi

_PASSED_OVER = {
    "metadata",
    "traceback",
    "transient",
    "prompt_number",
    "output_type",
    "name",
    "execution_count",
    "application/vnd.jupyter.widget-view+json",
}
_PICTURES = {"image/png", "image/jpeg"}
_OVERWRITTEN = re.compile(r"^.*\r(?=[^\n])", re.M)
_MAX_CHARS = 100_000
_MAX_PICTURE_CHARS = 4_000_000

Output = Mapping[str, Any]


def compare_outputs(old: Sequence[Output], new: Sequence[Output]) -> tuple[OutputDifference, ...]:
    """Return the differences between a cell's old and new outputs; those that count first."""
    before, after = _by_kind(old), _by_kind(new)
    kinds = [kind for kind in [*before, *after] if before.get(kind) != after.get(kind)]
    found = [_difference(kind, before.get(kind), after.get(kind)) for kind in dict.fromkeys(kinds)]
    return tuple(sorted(found, key=lambda each: not each.counts))


def error_of(outputs: Sequence[Output]) -> OutputDifference | None:
    """Return the error that ended a cell, with its traceback as the new side."""
    for output in outputs:
        if output.get("output_type") == "error":
            traceback = "\n".join(map(str, output.get("traceback") or ()))
            words = f"{output.get('ename', '')}: {output.get('evalue', '')}"
            text = without_ansi(traceback) or words
            return OutputDifference(kind="error", new=text[:_MAX_CHARS])
    return None


def _by_kind(outputs: Sequence[Output]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for kind, value in _flat(outputs):
        found.setdefault(kind, []).append(value)
    return found


def _flat(outputs: Sequence[Output]) -> Iterator[tuple[str, Any]]:
    streams: dict[str, str] = {}
    for output in outputs:
        if output.get("output_type") == "stream":
            name = str(output.get("name"))
            streams[name] = streams.get(name, "") + _text(output.get("text"))
    for name, text in streams.items():
        yield name, _OVERWRITTEN.sub("", text)
    for output in outputs:
        if output.get("output_type") == "stream":
            continue
        for key, value in output.items():
            if key == "data":
                yield from (
                    (mime, _text(part)) for mime, part in value.items() if mime not in _PASSED_OVER
                )
            elif key not in _PASSED_OVER:
                yield key, value


def _text(value: Any) -> Any:
    """Join a text, which notebook files hold as a list of lines."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value


def _difference(kind: str, old: list[Any] | None, new: list[Any] | None) -> OutputDifference:
    picture = kind in _PICTURES
    most = _MAX_PICTURE_CHARS if picture else _MAX_CHARS
    sides = [
        None if side is None else ("\n" if not picture else " ").join(map(_shown, side))
        for side in (old, new)
    ]
    if picture:
        sides = [None if side is None or len(side) > most else side.strip() for side in sides]
    old_text, new_text = (None if side is None else side[:most] for side in sides)
    return OutputDifference(kind=kind, old=old_text, new=new_text, counts=not picture)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, sort_keys=True)
