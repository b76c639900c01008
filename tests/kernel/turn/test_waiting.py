"""Waiting for a turn, for some time only."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.turns import GetTurn, TurnDetail
from acp_jupyter.kernel.turn.turn import Turn
from tests.support.kernel.fake_host import HostWithoutEvents
from tests.support.transcript.traffic import Script


class FakeHost(HostWithoutEvents):
    """Has a turn that ends when it is asked for the last time."""

    may_answer: ClassVar[bool] = False

    def __init__(self, looks: int) -> None:
        self.script = Script()
        self.request = self.script.turn()
        self.looks = looks

    def detail(self) -> TurnDetail:
        transcript = self.script.transcript
        return TurnDetail(turn=transcript.turns["t1"], items=(), session=transcript.session)

    def call(self, command: Command, seconds: float) -> Any:
        assert isinstance(command, GetTurn)
        self.looks -= 1
        if not self.looks:
            self.script.line("<", {"id": 1, "result": {"stopReason": "end_turn"}}, self.request)
        return self.detail()


def test_a_turn_that_goes_on_is_waited_for_no_longer_than_wanted() -> None:
    host = FakeHost(-1)
    turn = Turn(host, host.detail())
    with pytest.raises(TimeoutError, match=r"not ended within 0\.01 s; it is still running"):
        turn.wait(timeout=0.01)


@pytest.mark.parametrize("timeout", [None, 60])
def test_the_end_is_waited_for(timeout: float | None) -> None:
    host = FakeHost(3)
    turn = Turn(host, host.detail())
    assert turn.wait(timeout=timeout).stop_reason == "end_turn"
    assert host.looks == 0
