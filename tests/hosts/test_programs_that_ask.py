"""Programs at a terminal: whoever waits for a turn asks what its agent asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.terminal import ProgramAtTerminal

WAITS = Path(__file__).parent / "programs" / "waits.py"
ASKED = "Your answer (1 to 3): "


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], ProgramAtTerminal]]:
    """Start a program that waits in some way."""
    trust_in_data_dir(tmp_path / "data", tmp_path)
    started: list[ProgramAtTerminal] = []

    def program(how: str) -> ProgramAtTerminal:
        started.append(ProgramAtTerminal(tmp_path, str(WAITS), how))
        return started[-1]

    yield program
    for each in started:
        each.end()


@pytest.mark.parametrize(
    "how", ["await", *(pytest.param(how, marks=pytest.mark.long) for how in ("stream", "thread"))]
)
def test_a_question_is_asked_wherever_a_program_waits(
    start: Callable[[str], ProgramAtTerminal], how: str
) -> None:
    program = start(how)
    question = program.until(ASKED)
    assert "Demo wants to create a file\n  made.txt" in question
    assert "[1] Allow once" in question
    program.type("what?")
    assert "Type a number" in program.until(ASKED)
    assert not (program.folder / "made.txt").exists()
    program.type("1")
    said, code = program.left()
    assert said.endswith("ended: end_turn")
    assert code == 0
    assert (program.folder / "made.txt").exists()


def test_two_turns_ask_one_after_the_other(start: Callable[[str], ProgramAtTerminal]) -> None:
    program = start("both")
    program.until(ASKED)
    program.type("1")
    program.until(ASKED)
    program.type("1")
    said, _code = program.left()
    assert said.endswith("other: end_turn\nended: end_turn")
    assert {"made.txt", "other.txt"} <= {each.name for each in program.folder.iterdir()}


@pytest.mark.parametrize(
    "how", ["thread", *(pytest.param(how, marks=pytest.mark.long) for how in ("stream", "await"))]
)
def test_an_interrupt_of_the_question_ends_the_program(
    start: Callable[[str], ProgramAtTerminal], how: str
) -> None:
    program = start(how)
    program.until(ASKED)
    program.interrupt()
    said, code = program.left()
    assert "KeyboardInterrupt" in said
    assert "Task was destroyed" not in said
    assert code != 0
    assert not (program.folder / "made.txt").exists()
