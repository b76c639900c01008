"""File changes of a tool call, and where in their files they lie."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from itertools import takewhile

from pydantic import JsonValue

from acp_jupyter.packets.content import ToolContent, ToolDiff
from acp_jupyter.packets.json_fields import items, obj, text
from acp_jupyter.packets.models import Location
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.transcript.items import Diff

__all__ = ["diffs"]

_COUNTED_LINES = 4000
"""Above this many lines the view counts added and removed lines itself."""
_CONTEXT = 3
"""Lines around a change that parts of files are told with."""
_EDITS = 200


def diffs(
    content: tuple[ToolContent, ...],
    cwd: str,
    *,
    exists: bool,
    raw_input: JsonValue = None,
    locations: Sequence[Location] = (),
) -> tuple[Diff, ...]:
    """Return the file changes that a content shows.

    Parameters
    ----------
    content
        Of a tool call.
    cwd
        The session's folder.
    exists
        Whether the file was there before.
    raw_input
        Of the call: what it names as text to be replaced is no whole file.
    locations
        Told with the content. Claude tells a place for each part of a file that it changed.
    """
    told = [item for item in content if isinstance(item, ToolDiff)]
    shown = [_diff(item, cwd, exists) for item in told]
    replaced = _replaced(raw_input)
    for path in dict.fromkeys(item.path for item in told):
        own = [index for index, item in enumerate(told) if item.path == path]
        starts = [place.line for place in locations if place.path == path and place.line]
        parts = [told[index] for index in own]
        if len(starts) == len(own) and all(map(_may_begin, parts, starts)):
            moved = 0
            for index, start in zip(own, starts, strict=True):
                lines = {"old_line": max(1, start - moved), "new_line": start}
                shown[index] = diff = shown[index].model_copy(update=lines)
                moved += len(diff.new_text.splitlines()) - len((diff.old_text or "").splitlines())
        else:
            for index in own:
                if told[index].old_text in replaced:
                    unknown = {"old_line": None, "new_line": None}
                    shown[index] = shown[index].model_copy(update=unknown)
    return tuple(shown)


def _replaced(raw_input: JsonValue) -> set[str]:
    """Return the texts that an input names, also those of several edits."""
    values = obj(raw_input)
    fields = (values, *(obj(edit) for edit in items(values.get("edits"))[:_EDITS]))
    return {text(value) for each in fields for value in each.values()} - {""}


def _may_begin(part: ToolDiff, line: int) -> bool:
    """Tell whether a text begins at that line: at its top, or with what stands before a change.

    A whole file may be told with the line of its first change.
    """
    pairs = zip((part.old_text or "").splitlines(), part.new_text.splitlines(), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return line == 1 or same == _CONTEXT


def _diff(item: ToolDiff, cwd: str, exists: bool) -> Diff:
    added, removed = _counts(item.old_text or "", item.new_text)
    return Diff(
        path=relative_path(item.path, cwd),
        old_text=item.old_text,
        new_text=item.new_text,
        is_new_file=item.is_new_file(exists=exists),
        added=added,
        removed=removed,
    )


def _counts(old: str, new: str) -> tuple[int | None, int | None]:
    before, after = old.splitlines(), new.splitlines()
    if len(before) + len(after) > _COUNTED_LINES:
        return None, None
    added = removed = 0
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after).get_opcodes():
        if tag != "equal":
            removed += i2 - i1
            added += j2 - j1
    return added, removed
