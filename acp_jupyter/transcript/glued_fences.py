"""Moves a code fence that follows text to a line of its own.

Agents join pieces of text without a line end: "Here it is:```python". Markdown doesn't see a fence
there, takes the closing fence for an opening one, and shows the text after it as code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"(?<![`~])(?:`{3,}|~{3,})(?![`~])")
_LANGUAGE = re.compile(r"([\w+#.{}=-]*)[ \t]*")
_CONTAINERS = re.compile(r"(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
"""The markers and spaces that begin a line in a quote or a list."""


def fences_apart(text: str) -> str:
    """Return the text with each fence at the beginning of its line.

    A fence after text counts only at the end of a line, alone or with a language, and if a closing
    fence follows; with a language also without one. It gets the indent of the closing fence.
    """
    if not any(_after_text(line) for line in text.split("\n")):
        return text
    return "\n".join(_lines_apart(text.split("\n")))


def _lines_apart(lines: Sequence[str]) -> Iterator[str]:
    marks = ""
    """Marks of the open fence."""
    runs: Counter[str] = Counter()
    """Runs of marks in the paragraph so far."""
    for number, line in enumerate(lines):
        if marks:
            marks = "" if _closes(line, marks) else marks
            yield line
            continue
        start = _CONTAINERS.match(line)
        begin = _FENCE.match(line, 0 if start is None else start.end())
        if begin is not None and not ("`" in begin[0] and "`" in line[begin.end() :]):
            marks = begin[0]
            runs.clear()
            yield line
            continue
        runs = runs + Counter(_FENCE.findall(line)) if line.strip() else Counter()
        fence = _after_text(line)
        # A second run of these marks would be the other end of a code span.
        alone = fence is not None and ("~" in fence[0] or runs[fence[0]] % 2 == 1)
        indent = _indent(lines, number, fence) if fence is not None and alone else None
        if fence is None or indent is None:
            yield line
            continue
        marks = fence[0]
        runs.clear()
        yield line[: fence.start()].rstrip()
        yield indent + line[fence.start() :]


def _after_text(line: str) -> re.Match[str] | None:
    """Return the fence at the end of a line that begins with text."""
    if "```" not in line and "~~~" not in line:
        return None
    start = _CONTAINERS.match(line)
    at = 0 if start is None else start.end()
    fences = list(_FENCE.finditer(line, at))
    if not fences or fences[-1].start() == at:
        return None
    return fences[-1] if _LANGUAGE.fullmatch(line, fences[-1].end()) else None


def _indent(lines: Sequence[str], number: int, fence: re.Match[str]) -> str | None:
    """Return the indent for the fence's new line; None if the marks are not a fence."""
    marks, line = fence[0], lines[number]
    for after in range(number + 1, len(lines)):
        if marks in lines[after]:
            is_end = _closes(lines[after], marks) and after > number + 1
            return lines[after][: lines[after].index(marks)] if is_end else None
    if not line[fence.end() :].strip() or not any(map(str.strip, lines[number + 1 :])):
        return None
    start = _CONTAINERS.match(line)
    return re.sub(r"[^\s>]", " ", "" if start is None else start[0])


def _closes(line: str, marks: str) -> bool:
    end = line.strip(" \t>")
    return len(end) >= len(marks) and end == marks[0] * len(end)
