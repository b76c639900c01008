"""Fences that an agent wrote behind text on its line, put on lines of their own.

Agents join pieces of text without a line end: "Here it is:```python". To Markdown that is no
fence, so that its end begins a block, and the text after it is code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"(?<![`~])(?:`{3,}|~{3,})(?![`~])")
_LANGUAGE = re.compile(r"([\w+#.{}=-]*)[ \t]*")
_CONTAINERS = re.compile(r"(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
"""What a line begins with in a quote or a list."""


def fences_apart(text: str) -> str:
    """Return a text in which each fence begins its line.

    One that follows text counts if a line ends with it and perhaps a language, and a line that is
    only a fence ends it; with a language also if nothing does yet. It is indented as its end is.
    """
    if not any(_after_text(line) for line in text.split("\n")):
        return text
    return "\n".join(_lines_apart(text.split("\n")))


def _lines_apart(lines: Sequence[str]) -> Iterator[str]:
    marks = ""
    """Of the fence that is open."""
    runs: Counter[str] = Counter()
    """Of the marks in the paragraph so far."""
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
        # Another such run would be the other end of a code span.
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
    """Return the fence that ends a line which begins with text."""
    if "```" not in line and "~~~" not in line:
        return None
    start = _CONTAINERS.match(line)
    at = 0 if start is None else start.end()
    fences = list(_FENCE.finditer(line, at))
    if not fences or fences[-1].start() == at:
        return None
    return fences[-1] if _LANGUAGE.fullmatch(line, fences[-1].end()) else None


def _indent(lines: Sequence[str], number: int, fence: re.Match[str]) -> str | None:
    """Return what its line is to begin with; None if it is no fence."""
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
