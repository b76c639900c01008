"""``--try`` and ``--restore`` in the first line of a cell."""

from __future__ import annotations

import pytest

from acp_jupyter.api.cell_options import CellOptions, parse_cell_line
from acp_jupyter.errors import BadLine
from acp_jupyter.features.variants.cell_options import TryOptions


@pytest.mark.parametrize(
    "line", ["demo, claude:opus --try", "--try demo, claude:opus", "demo,claude:opus --try"]
)
def test_agents_of_a_try(line: str) -> None:
    agents = ("demo", "claude:opus")
    assert parse_cell_line(line) == CellOptions(feature=TryOptions(agents))
    again = parse_cell_line(f"{line} --restore rerun")
    assert again == CellOptions(feature=TryOptions(agents, "rerun"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("demo --try", "two agents or more"),
        ("demo demo --try", "Put a comma between the agents: demo, demo."),
        ("demo, demo --try --new", "leave out --session, --new and --rewind"),
        ("demo, demo --try --wibble", "no option --wibble"),
        ("demo, demo --try --restore all", "Type one of: dill, rerun, none."),
        ("demo --restore dill", "leave it out, or add --try"),
    ],
)
def test_what_is_wrong_says_what_to_type(line: str, words: str) -> None:
    with pytest.raises(BadLine) as raised:
        parse_cell_line(line)
    assert words in str(raised.value)
