"""Formulas in Markdown, as readers find them that look for them before anything else."""

from __future__ import annotations

import re
from bisect import bisect_right

from markdown_it.rules_block import StateBlock

__all__ = ["MATH_BEGINS", "formulas_end", "math_block"]

_MATH_SIGNS = re.compile(r"(?<!\\)\$\$|\\\\\[|\\\\\]|\\begin\{[a-z]*\*?\}|\\end\{[a-z]*\*?\}")
"""Of the formulas that nbconvert finds before anything else and over the ends of blocks."""
MATH_BEGINS = re.compile(r"\$(?=\$)|(?<=\$)\$|(?<!\\)(?:\\\\)+(?=\\?\[)|(?<=\\begin)\{")


def formulas_end(text: str) -> bool:
    """Tell whether each formula that begins here also ends here."""
    places: dict[str, list[int]] = {}
    signs = [(sign.start(), sign[0]) for sign in _MATH_SIGNS.finditer(text)]
    for at, sign in signs:
        places.setdefault(sign, []).append(at)
    end = 0
    for at, sign in signs:
        close = _math_close(sign)
        if at < end or not close:
            continue
        ends = places.get(close, [])
        following = bisect_right(ends, at)
        if following == len(ends):
            return False
        end = ends[following] + len(close)
    return True


def _math_close(sign: str) -> str:
    if sign == "\\\\[":
        return "\\\\]"
    return sign.replace("\\begin", "\\end") if sign[:2] in {"$$", "\\b"} else ""


def math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Find a formula that has its lines for itself; in it is no Markdown."""
    first = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    begin = _MATH_SIGNS.match(first)
    close = _math_close(begin[0]) if begin else ""
    if begin is None or not close or state.is_code_block(start):
        return False
    lines: list[str] = []
    for number in range(start, end):
        line = state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
        if not line or state.sCount[number] < state.blkIndent or re.search("`|~{3}", line):
            return False
        lines.append(line)
        _, found, after = line[begin.end() if number == start else 0 :].partition(close)
        if found:
            break
    else:
        return False
    if after.strip() or not formulas_end("\n".join(lines)):
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.map = [start, start + len(lines)]
        token.content = re.sub(r"<(?=[A-Za-z/!?])", "< ", "\n".join(lines)).replace("![", "! [")
    state.line = start + len(lines)
    return True
