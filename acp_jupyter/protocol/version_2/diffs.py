"""Translates file changes of version 2 into the old and new texts of version 1.

Version 2 lists the files and what is done to them, and may add a git patch. A change without lines
of a patch becomes text: version 1 has nothing for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, items, obj, text

_MAX_CHARS = 1_000_000
_MAX_PARTS = 200
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_END = "\\"
_WORDS = {
    "add": "New file: {path}",
    "delete": "Deleted: {path}",
    "move": "Moved: {old} → {path}",
    "copy": "Copied: {old} → {path}",
}


def diff_in_version_1(diff: Obj) -> tuple[list[JsonValue], list[JsonValue]]:
    """Return the changes as content of a tool call, and the locations where they begin."""
    changes = [obj(raw) for raw in items(diff.get("changes"))]
    parts = list(_parts(_patch(diff)))
    if len(parts) > _MAX_PARTS:
        parts = []
    paths = _absolute({name for part in parts for name in part.names}, changes)
    diffs: list[JsonValue] = []
    places: list[JsonValue] = []
    seen = set[str]()
    for part in parts:
        path = next((paths[name] for name in part.names if name in paths), part.names[0])
        diffs.append(part.diff(path))
        seen.add(path)
        if not part.is_whole:
            places.append({"path": path, "line": part.line})
    words = [_change_text(each) for each in changes if _needs_text(each, seen)]
    diffs += [{"type": "content", "content": {"type": "text", "text": line}} for line in words]
    return diffs, places


def _needs_text(change: Obj, seen: set[str]) -> bool:
    operation, path = text(change.get("operation")), text(change.get("path"))
    return bool(path) and (path not in seen or operation in {"move", "copy"})


def _change_text(change: Obj) -> str:
    form = _WORDS.get(text(change.get("operation")), "Changed: {path}")
    return form.format(path=text(change.get("path")), old=text(change.get("oldPath")))


def _patch(diff: Obj) -> str:
    patch = obj(diff.get("patch"))
    words = text(patch.get("text"))
    return words if patch.get("format") == "git_patch" and len(words) <= _MAX_CHARS else ""


def _absolute(names: set[str], changes: list[Obj]) -> dict[str, str]:
    """Return the path of the change for each name in the patch."""
    paths = [text(each.get("path")) for each in changes]
    found: dict[str, str] = {}
    for name in names:
        ends = f"/{name.lstrip('/')}"
        path = next((path for path in paths if path == name or path.endswith(ends)), "")
        if path:
            found[name] = path
    return found


@dataclass(slots=True)
class _Part:
    """One run of lines of a file, with its context."""

    names: tuple[str, ...]
    """The file, as the patch may name it: with and without the prefix of its side."""
    line: int
    is_new: bool
    is_deleted: bool
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    ends: bool = True
    """Whether the last line of a whole file ends in a line break."""

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole file."""
        return self.is_new or self.is_deleted

    def diff(self, path: str) -> Obj:
        """Return it as version 1 has it: a part of a file has no line break at its end."""
        end = "\n" if self.is_whole and self.ends else ""
        old, new = ("\n".join(lines) + end if lines else "" for lines in (self.old, self.new))
        return {
            "type": "diff",
            "path": path,
            "oldText": None if self.is_new else old,
            "newText": new,
        }


def _parts(patch: str) -> Iterator[_Part]:
    """Yield the runs of changed lines in a patch; malformed lines are skipped."""
    old_name = new_name = ""
    part: _Part | None = None
    left = [0, 0]
    for line in patch.split("\n"):
        if part is not None and (any(left) or line.startswith(_NO_END)):
            _take(part, line, left)
            continue
        found = _HUNK.match(line)
        if found is not None and (old_name or new_name):
            if part is not None:
                yield part
            is_new, is_deleted = old_name == "/dev/null", new_name == "/dev/null"
            name = old_name if is_deleted else new_name
            part = _Part(_names(name), int(found[2]), is_new, is_deleted)
            left = [int(found[1] or 1), int(found[3] or 1)]
        elif line.startswith("--- "):
            old_name = line[4:].rstrip("\r\t")
        elif line.startswith("+++ "):
            new_name = line[4:].rstrip("\r\t")
    if part is not None:
        yield part


def _names(name: str) -> tuple[str, ...]:
    without = name[2:] if name[:2] in {"a/", "b/"} else name
    return (without, name) if without != name else (name,)


def _take(part: _Part, line: str, left: list[int]) -> None:
    mark, rest = line[:1], line[1:]
    if mark == _NO_END:
        part.ends = False
        return
    if mark != "+":
        part.old.append(rest)
        left[0] -= 1
    if mark != "-":
        part.new.append(rest)
        left[1] -= 1
    left[:] = [max(0, each) for each in left]
