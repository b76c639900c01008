"""Patches that agents write as text: ``*** Begin Patch``, as Codex's ``apply_patch`` takes them.

A patch names files and the lines that change, without line numbers. What follows the format becomes
diffs; anything else gives none, and is shown as the agent sent it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import JsonValue

from acp_jupyter.protocol.content import ToolDiff
from acp_jupyter.protocol.objects import obj
from acp_jupyter.protocol.tools.inputs import file_path

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"
_MAX_CHARS = 1_000_000
_MAX_DIFFS = 500
_LEADING_CHARS = 200


class _NotAPatchError(ValueError):
    """A line does not follow the format."""


@dataclass(slots=True)
class _Part:
    """One file that is added, or one run of lines of a file that is updated."""

    path: str
    is_new: bool
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def diff(self) -> ToolDiff:
        return ToolDiff(
            path=self.path,
            old_text=None if self.is_new else _text(self.old),
            new_text=_text(self.new),
        )


def patch_diffs(raw_input: JsonValue) -> tuple[ToolDiff, ...]:
    """Return the changes of the patch in a tool's input.

    Parameters
    ----------
    raw_input
        Of a tool call: the patch itself, or an object with a field that is one.

    Returns
    -------
    tuple of ToolDiff
        One for each run of changed lines. Files that are deleted or moved have none. Empty where
        there is no patch, or where it does not follow the format.
    """
    fields = obj(raw_input)
    if file_path(fields):
        return ()  # a patch that is written into a file
    values = [raw_input] if isinstance(raw_input, str) else fields.values()
    patches = [value for value in values if isinstance(value, str) and _is_patch(value)]
    if len(patches) != 1 or len(patches[0]) > _MAX_CHARS:
        return ()
    try:
        parts = list(_parts(patches[0].strip().splitlines()[1:]))
    except _NotAPatchError:
        return ()
    diffs = tuple(part.diff() for part in parts if part.is_new or part.old != part.new)
    return diffs if len(diffs) <= _MAX_DIFFS else ()


def _is_patch(text: str) -> bool:
    return text[:_LEADING_CHARS].lstrip().startswith(_BEGIN)


def _parts(lines: list[str]) -> Iterator[_Part]:
    part: _Part | None = None
    path = ""
    for line in lines:
        if line.startswith(_END):
            break
        if line.startswith((_ADD, _UPDATE, _DELETE)):
            if part is not None:
                yield part
            path = line.partition(": ")[2].strip()
            part = None if line.startswith(_DELETE) else _Part(path, line.startswith(_ADD))
        elif line.startswith((_MOVE, _END_OF_FILE)):
            continue
        elif part is None:
            raise _NotAPatchError(line)
        elif line.startswith("@@"):
            yield part
            part = _Part(path, is_new=False)
        else:
            _take(part, line)
    if part is not None:
        yield part


def _take(part: _Part, line: str) -> None:
    """Add a line to both sides, or to the one that it belongs to."""
    mark, rest = line[:1], line[1:]
    if mark not in {"", " ", "+", "-"} or (part.is_new and mark != "+"):
        raise _NotAPatchError(line)
    if mark != "+":
        part.old.append(rest)
    if mark != "-":
        part.new.append(rest)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
