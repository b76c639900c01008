"""What each regular expression finds in texts at the edges of what it matches.

The texts were made from the expressions and are kept, so an expression may be written otherwise
and has to find the same. ``ACP_WRITE_GOLDEN=1`` makes them anew.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

import pytest

from tests.acceptance import golden
from tests.support.patterns.edge_texts import edge_texts
from tests.transcript.test_linear_patterns import ELSEWHERE

FILE = golden.GOLDEN / "patterns.json"
FLAGS = re.VERBOSE | re.IGNORECASE | re.DOTALL | re.MULTILINE
PATTERNS = {name: regex for name, regex in ELSEWHERE.items() if isinstance(regex.pattern, str)}
MORE: dict[str, list[str]] = {
    "protocol.parse.elicitation._HOST": [f"{letter}:" for letter in "049ACFacfGg/"],
    "protocol.tools.outputs._HIT": ["a:1:b:2:c"],
    "protocol.tools.outputs._REMARK": [f"No files found{end}" for end in ("", ".", "!", "..")],
    "protocol.tools.read_outputs._WRAPPER": [
        f"{before}<{tag}>{text}</{end}>{after}"
        for tag, end in (("file", "file"), ("content", "content"), ("file", "content"), ("f", "f"))
        for text in ("", "a", "\na\nb\n", "\n\na\n\n")
        for before, after in (("", ""), (" \n", "\n "), ("a", ""), ("", "a"))
    ],
}
"""Where a later part depends on an earlier one, or one way hides another."""


def found(regex: re.Pattern[str], text: str) -> str:
    """Return the places of what is found, and of its groups."""
    whole = "=" if regex.fullmatch(text) else "<" if regex.match(text) else ""
    places = " ".join(
        ",".join(f"{begin}-{end}" for begin, end in match.regs) for match in regex.finditer(text)
    )
    return f"{whole}{places}"


def written() -> Any:
    return {
        name: {
            text: found(regex, text)
            for text in [*edge_texts(regex.pattern, regex.flags & FLAGS), *MORE.get(name, ())]
        }
        for name, regex in sorted(PATTERNS.items())
    }


if os.environ.get("ACP_WRITE_GOLDEN"):
    FILE.write_text(json.dumps(written(), indent=0, ensure_ascii=True) + "\n")
KNOWN: dict[str, dict[str, str]] = json.loads(FILE.read_text())


def test_each_pattern_has_its_texts() -> None:
    assert sorted(KNOWN) == sorted(PATTERNS)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_what_a_pattern_finds(name: str) -> None:
    module, _, own = name.rpartition(".")
    regex = getattr(sys.modules[f"acp_jupyter.{module}"], own)  # as it is now: `mutate` alters it
    assert {text: found(regex, text) for text in KNOWN[name]} == KNOWN[name]
