"""A change of a file as text: a unified diff, cut where it is long."""

from __future__ import annotations

import difflib

from acp_jupyter.transcript.model.tool_items import Diff

_CONTEXT_LINES = 3
_COMPARED_LINES = 2_000
"""With more lines, the middle is not compared, but shown as removed and added."""
_SHOWN_LINES = 400
_LINE_CHARS = 500


def unified_diff(diff: Diff) -> str:
    """Return the change of one file; a long one is cut, with a note."""
    old, new = (diff.old_text or "").splitlines(), diff.new_text.splitlines()
    source = "/dev/null" if diff.old_text is None else f"a/{_one_line(diff.path)}"
    skipped = ((diff.old_line or 1) - 1, (diff.new_line or 1) - 1)
    hunks = (_moved(line, *skipped) for line in _hunks(old, new))
    lines = [f"--- {source}", f"+++ b/{_one_line(diff.path)}", *hunks]
    if len(lines) > _SHOWN_LINES:
        rest = len(lines) - _SHOWN_LINES
        lines = [*lines[:_SHOWN_LINES], f"… {rest} more lines"]
    return "\n".join(line[:_LINE_CHARS] for line in lines)


def trimmed_diff(diff: Diff) -> Diff:
    """Return a change cut down to its changed lines, with some context."""
    if diff.old_text is None or diff.old_line is None or diff.new_line is None:
        return diff
    old, new = diff.old_text.splitlines(keepends=True), diff.new_text.splitlines(keepends=True)
    head = _common(old, new)
    tail = max(0, _common(old[head:][::-1], new[head:][::-1]) - _CONTEXT_LINES)
    head = max(0, head - _CONTEXT_LINES)
    return diff.model_copy(
        update={
            "old_text": "".join(old[head : len(old) - tail]),
            "new_text": "".join(new[head : len(new) - tail]),
            "old_line": diff.old_line + head,
            "new_line": diff.new_line + head,
        }
    )


def line_counts(diff: Diff) -> str:
    """Return ``+N −M``; empty where the lines were not counted."""
    if diff.added is None or diff.removed is None:
        return ""
    return f"+{diff.added} −{diff.removed}"


def _one_line(path: str) -> str:
    return " ".join(path.split())


def _hunks(old: list[str], new: list[str]) -> list[str]:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle = max(len(old), len(new)) - head - tail
    if middle <= _COMPARED_LINES:
        # With some equal lines on both sides, as context of the hunks.
        start, tail_start = max(0, head - _CONTEXT_LINES), min(tail, _CONTEXT_LINES)
        before = old[start : len(old) - tail + tail_start]
        after = new[start : len(new) - tail + tail_start]
        found = difflib.unified_diff(before, after, n=_CONTEXT_LINES, lineterm="")
        return [_moved(line, start, start) for line in list(found)[2:]]
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    title = f"@@ -{head + 1},{len(removed)} +{head + 1},{len(added)} @@"
    return [title, *(f"-{line}" for line in removed), *(f"+{line}" for line in added)]


def _common(old: list[str], new: list[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _moved(line: str, old_by: int, new_by: int) -> str:
    """Add the lines that were left out to the numbers of a hunk's title."""
    if old_by == new_by == 0 or not line.startswith("@@ "):
        return line
    _, old, new, end = line.split(" ", 3)
    return f"@@ {_shifted(old, old_by)} {_shifted(new, new_by)} {end}"


def _shifted(numbers: str, by: int) -> str:
    first, *count = numbers[1:].split(",")
    return ",".join([f"{numbers[0]}{int(first) + by}", *count])
