"""Changes of files by the Claude CLI's own tools: as they are asked for, and as they came out."""

from __future__ import annotations

from acp_jupyter.packets.json_fields import Obj, count, items, obj, text

__all__ = ["asked_edits", "done_edits"]

_MOST_PARTS = 200


def asked_edits(name: str, raw_input: Obj) -> list[Obj]:
    """Return what a call asks for; what was there before is known in part only."""
    path = text(raw_input.get("file_path"))
    if not path:
        return []
    match name:
        case "Write":
            return [_diff(path, None, text(raw_input.get("content")))]
        case "Edit":
            return [_edit(path, raw_input)]
        case "MultiEdit":
            return [_edit(path, obj(edit)) for edit in items(raw_input.get("edits"))]
        case _:
            return []


def done_edits(name: str, raw_input: Obj, outcome: Obj) -> tuple[list[Obj], list[Obj]]:
    """Return what came of it, and the places in the file, one for each part.

    Parameters
    ----------
    name, raw_input
        Of the call.
    outcome
        Only this tells what was there before a ``Write``, and where an edit lies.
    """
    asked = asked_edits(name, raw_input)
    before = outcome.get("originalFile")
    if name == "Write" and len(asked) == 1 and isinstance(before, str):
        return [{**asked[0], "oldText": before}], []
    hunks = [obj(hunk) for hunk in items(outcome.get("structuredPatch"))]
    if name == "Write" or not asked or not 0 < len(hunks) <= _MOST_PARTS:
        return asked, []
    path = text(raw_input.get("file_path"))
    return [_part(path, hunk) for hunk in hunks], [
        {"path": path, "line": max(1, count(hunk.get("newStart")) or 1)} for hunk in hunks
    ]


def _part(path: str, hunk: Obj) -> Obj:
    lines = [text(line) for line in items(hunk.get("lines"))]
    old, new = ("\n".join(_side(lines, without)) for without in ("+", "-"))
    return _diff(path, old, new)


def _side(lines: list[str], without: str) -> list[str]:
    """Return one side of a patch; a line with a backslash tells of a missing end only."""
    return [line[1:] for line in lines if not line.startswith((without, "\\"))]


def _edit(path: str, edit: Obj) -> Obj:
    return _diff(path, text(edit.get("old_string")), text(edit.get("new_string")))


def _diff(path: str, old: str | None, new: str) -> Obj:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}
