"""What a table says of variants."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.errors import HostClosed
from acp_jupyter.features.variants.kernel import Variants
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.host_events.session import ChangedFile, TurnChanges
from acp_jupyter.transcript.model.session_state import (
    AgentInfo,
    ConfigChoice,
    ConfigOption,
    SessionState,
    TurnState,
)
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.kernel.fake_host import HostWithoutEvents


class ClosedHost(HostWithoutEvents):
    """Answers nothing: what the turns were when they ended is told."""

    place: ClassVar[Literal["server", "kernel"]] = "kernel"
    may_answer: ClassVar[bool] = True

    def call(self, command: Command, seconds: float) -> Any:
        raise HostClosed("The host is closed.")


def _run(number: int, command: str, status: str, exit_code: int | None) -> ToolCall:
    told = {"id": f"i{number}", "turn_id": "t", "tool_call_id": f"c{number}", "title": "Run"}
    return ToolCall.model_validate(
        {**told, "command": command, "status": status, "exit_code": exit_code}
    )


def _turn(number: int, calls: tuple[ToolCall, ...], *, kept: bool = False, **session: Any) -> Turn:
    changed = (
        ChangedFile(path="a.py", change="modified", added=3, removed=1, reverted=not kept),
        ChangedFile(path="b.png", change="added", binary=True, reverted=not kept),
    )
    state = TurnState(
        turn_id="t",
        session_id="s",
        status="done",
        stop_reason="end_turn",
        variant=number,
        tokens=1234,
        changes=TurnChanges(files=changed, revertible=True),
    )
    info = AgentInfo(id="x", name="Some\nAgent")
    told = SessionState(session_id="s", agent="x", agent_info=info, cwd="/", folder="/", **session)
    return Turn(ClosedHost(), TurnDetail(turn=state, session=told, items=calls))


def test_a_row_for_each_variant() -> None:
    tests = (
        _run(1, "pytest -q", "completed", 0),
        _run(2, "cd a && npm test", "completed", 1),
        _run(3, "make test", "failed", None),
        _run(4, "ls pytests", "completed", 1),
    )
    choices = (ConfigChoice(value="big", name="Big one"), ConfigChoice(value="small", name="S"))
    option = ConfigOption(
        id="m", name="Model", category="model", type="select", current_value="big", choices=choices
    )
    variants = Variants(
        [
            _turn(1, tests, config_options=(option,), model="unused"),
            _turn(2, tests[:1], kept=True, model="plain"),
        ]
    )
    first, second = variants.rows()
    assert (first["agent"], first["model"], first["status"]) == (
        "Some Agent",
        "Big one",
        "end turn",
    )
    assert (first["files"], first["lines_added"], first["lines_removed"]) == (2, 3, 1)
    assert (first["test_runs"], first["failed_test_runs"]) == (3, 2)
    assert (second["model"], second["test_runs"], second["failed_test_runs"]) == ("plain", 1, 0)
    assert variants.to_markdown(times=False).splitlines()[2:] == [
        "| 1 | Some Agent Big one | end turn | 1,234 | 2 (+3 −1) | 3 run, 2 failed |",
        "| 2 | Some Agent plain | kept | 1,234 | 2 (+3 −1) | 1 run |",
    ]
