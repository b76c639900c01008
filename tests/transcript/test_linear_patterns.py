"""No text that an agent writes makes a pattern slow: 20 times the text, about 20 times the time."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import pytest

from acp_jupyter.transcript.output.terminal_screen import plain_lines
from acp_jupyter.transcript.redactor import Redactor
from acp_jupyter.transcript.secret_patterns import PATTERNS, SecretPattern, Spans, TokenFormats
from acp_jupyter.transcript.token_formats import TOKEN_FORMATS
from tests.support.patterns.pumped_texts import (
    MAX_RATIO,
    grows_linearly,
    pumped,
    repeats_group_possessively,
    worst,
)


def cases_of(pattern: Spans) -> list[tuple[str, str]]:
    if isinstance(pattern, SecretPattern):
        return pumped(pattern.start + pattern.rest)
    if isinstance(pattern, TokenFormats):
        starts = [start for _, start, *_ in TOKEN_FORMATS[::20]]
        return [*(("", start) for start in starts), *((start, "a1") for start in starts)]
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    units = ("-----BEGIN ", begin, begin + "\n", begin + "A" * 20, end, begin + end, end + begin)
    return [*(("", unit) for unit in units), (begin, "A"), (begin, "\n" + "A" * 20), (begin, "\\n")]


WORST = [(pattern, cases_of(pattern)) for pattern in PATTERNS]


@pytest.mark.long("times every pattern; the whole of them is timed in each run")
@pytest.mark.parametrize(
    ("pattern", "cases"), WORST, ids=[f"{n}-{p.name}" for n, p in enumerate(PATTERNS)]
)
def test_each_pattern_takes_linear_time(pattern: Spans, cases: list[tuple[str, str]]) -> None:
    def search(text: str) -> list[tuple[int, int]]:
        return list(pattern.spans(text))

    for case in worst(search, cases):
        assert grows_linearly(search, case) < MAX_RATIO, case


def test_the_whole_takes_linear_time() -> None:
    redactor = Redactor(["a-known-secret"])
    every = [case for _, cases in WORST for case in cases[:3]]
    every += [("", "a-known-secret"), ("", "a-known-secre"), ("", '{"token":"')]
    for case in worst(redactor.redact_text, every, 5):
        assert grows_linearly(redactor.redact_text, case) < MAX_RATIO, case


ANCHORED = {
    "features.prompts.prompt_file._GIVEN",
    "host.sandbox.hosts._OF_MODELS",
    "transcript.closed_markdown._BLOCK_BEGINS",
    "protocol.log_envelope._RECEIVER",
    "host.workspace.folders._LINE",
    "transcript.raw_input._FILE_NAME",
    "transcript.raw_input._GIT",
    "transcript.raw_input._SCHEME",
    "host.sessions.prompts._URI",
    "protocol.tools.read_outputs._FENCED",
    "protocol.tools.read_outputs._NUMBERED",
    "protocol.tools.outputs._FOLDED_HIT",
    "protocol.tools.outputs._HIT",
    "protocol.tools.outputs._REMARK",
    "transcript.secret_patterns._DOTTED",
    "dialects.onyx.event_stream._OBJECT",
    "host.requests.rule_commands._ADDRESS",
    "host.requests.rule_wrappers._ASSIGNMENT",
}
"""Used with `match` and `fullmatch` only: nothing is looked for in the middle of a text."""


def modules_patterns() -> dict[str, re.Pattern[Any]]:
    found: dict[str, re.Pattern[Any]] = {}
    for package in (
        "protocol",
        "dialects",
        "transcript",
        "host",
        "api",
        "notebook_tools",
        "server",
        "features",
    ):
        folder = importlib.import_module(f"acp_jupyter.{package}")
        for module in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
            loaded = importlib.import_module(module.name)
            for name, value in vars(loaded).items():
                if isinstance(value, re.Pattern):
                    found[f"{module.name.removeprefix('acp_jupyter.')}.{name}"] = value
    return found


ELSEWHERE = modules_patterns()


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_every_other_pattern_takes_linear_time(name: str) -> None:
    regex = ELSEWHERE[name]
    source = regex.pattern.decode("latin-1") if isinstance(regex.pattern, bytes) else regex.pattern

    def read(text: str) -> Any:
        return text.encode() if isinstance(regex.pattern, bytes) else text

    search: Callable[[str], object]
    if name in ANCHORED:
        search = lambda text: (regex.match(read(text)), regex.fullmatch(read(text)))  # noqa: E731
    else:
        search = lambda text: sum(1 for _ in regex.finditer(read(text)))  # noqa: E731
    for case in worst(search, pumped(source, regex.flags & (re.VERBOSE | re.IGNORECASE)), 2):
        assert grows_linearly(search, case) < MAX_RATIO, case


@pytest.mark.long
def test_the_test_itself_tells_a_quadratic_pattern() -> None:
    token = re.compile("eyJ[A-Za-z0-9_-]{10,}[.][A-Za-z0-9_-]{10,}[.]")
    (case,) = worst(token.search, pumped(token.pattern), 1)
    assert grows_linearly(token.search, case) > MAX_RATIO


def test_an_escape_that_never_ends_is_read_in_linear_time() -> None:
    case = "", "\x1b[" + "0" * 4_000
    assert grows_linearly(plain_lines, case) < MAX_RATIO


def every_source() -> dict[str, str]:
    known = {name: regex.pattern for name, regex in ELSEWHERE.items()}
    known |= {
        f"{number}-{pattern.name}": pattern.start + pattern.rest
        for number, pattern in enumerate(PATTERNS)
        if isinstance(pattern, SecretPattern)
    }
    return {name: text for name, text in known.items() if isinstance(text, str)}


def test_no_group_is_repeated_possessively() -> None:
    """Python before 3.11.5 keeps what the last, failed try of such a group has read."""
    assert [name for name, text in every_source().items() if repeats_group_possessively(text)] == []
    assert repeats_group_possessively("a(?:bc)*+")
    assert not repeats_group_possessively("a(?>(?:bc)*)[d]++e?+")
