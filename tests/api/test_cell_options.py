"""The first line of a cell."""

from __future__ import annotations

import pytest

from acp_jupyter.api.cell_options import CellOptions, cell_help, parse_cell_line
from acp_jupyter.errors import BadLine


def test_everything_at_once() -> None:
    line = (
        "claude --session 'big job' --new --policy read-only --out turn --timeout 2.5 "
        "--sandbox folder --network none --mode plan --model opus "
        "--config effort=high --config web=on "
        "--background --format --without 'cell 3' --without df"
    )
    assert parse_cell_line(line) == CellOptions(
        agent="claude",
        session="big job",
        new=True,
        policy="read-only",
        sandbox="folder",
        network="none",
        out="turn",
        timeout=2.5,
        mode="plan",
        model="opus",
        config=("effort=high", "web=on"),
        background=True,
        format=True,
        without=("cell 3", "df"),
    )


def test_nothing() -> None:
    assert parse_cell_line("") == CellOptions()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--polcy ask", "Type --policy."),
        ("--wibble", "The options are: --session,"),
        ("--policy yes", "Type one of: ask,"),
        ("--sandbox yes", "There is no sandbox 'yes'. Type one of: off, folder, copy, read-only."),
        ("--network some", "There is no network 'some'. Type one of: all, hosts, none."),
        ("--out 1x", "--out turn"),
        ("--out class", "--out turn"),
        ("--timeout soon", "--timeout 60"),
        ("--timeout -1", "--timeout 60"),
        ("--timeout nan", "--timeout 60"),
        ("--session", "%%acp --help"),
        ("--session=--", "--session: -- is not a value"),
        ("--timeout=--", "--timeout: -- is not a value"),
        ("--allow=-- demo", "--allow: -- is not a value"),
        ("--out=--", "--out: -- is not a value"),
        ("--\ud83d", "There is no option --\ufffd"),
        ("demo Fix it", "below the first line"),
        ("demo, demo", "below the first line"),
        ("'demo", "quotation mark"),
    ],
)
def test_what_is_wrong_says_what_to_type(line: str, words: str) -> None:
    with pytest.raises(BadLine) as raised:
        parse_cell_line(line)
    assert words in str(raised.value)


def test_help_names_every_option_and_policy() -> None:
    text = cell_help()
    for word in ("%%acp [AGENT]", "--session NAME", "--timeout SECONDS", "accept-edits"):
        assert word in text
