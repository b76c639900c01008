"""What a cell sends along with its prompt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from IPython.core.interactiveshell import InteractiveShell

from acp_jupyter.api.cell_options import parse_cell_line
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.sessions import CreateSession, ResumeSession
from acp_jupyter.api.models.turns import GetTurn, TurnDetail
from acp_jupyter.kernel import connect as connecting
from acp_jupyter.kernel.magics.cell import prompt_command
from acp_jupyter.kernel.session import Session, defaults
from acp_jupyter.kernel.variables import Described
from tests.support.kernel.fake_host import HostWithoutEvents
from tests.support.kernel.own_shell import own_shell
from tests.support.transcript.traffic import Script


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    with own_shell(tmp_path, monkeypatch) as made:
        yield made


class FakeHost(HostWithoutEvents):
    """Has one session with a turn."""

    location: ClassVar[Literal["server", "kernel"]] = "kernel"
    may_answer: ClassVar[bool] = False

    def __init__(self) -> None:
        self.script = Script()
        self.script.turn()

    def call(self, command: Command, seconds: float) -> Any:
        state = self.script.transcript.session
        match command:
            case ResumeSession() | CreateSession():
                return state
            case GetTurn():
                turn = self.script.transcript.turns["t1"]
                return TurnDetail(turn=turn, items=(), session=state)
            case _:
                raise AssertionError(command)


@pytest.mark.parametrize(("variables", "blocks"), [((), 1), ((Described("x", "x: int\n1"),), 2)])
def test_what_a_cell_describes_is_sent_with_its_prompt(
    shell: InteractiveShell, variables: tuple[Described, ...], blocks: int
) -> None:
    host = FakeHost()
    session = Session(host, host.script.transcript.session, None)
    command = prompt_command(shell, session, parse_cell_line(""), "Go", variables, "Go")
    assert (1 if command.prompt == "Go" else len(command.prompt)) == blocks


def test_a_session_that_was_named_is_completed_from_then_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connecting, "host_client", FakeHost)
    monkeypatch.setattr(defaults, "labels", set[str]())
    monkeypatch.setattr(defaults, "chosen", {})
    connecting.connect("demo", session="plots", tools=False)
    connecting.connect("demo", tools=False)
    assert defaults.labels == {"plots"}
