"""What is read from a turn."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.turns import (
    ChangesReply,
    FileTexts,
    GetChanges,
    GetTurn,
    TurnDetail,
)
from acp_jupyter.kernel.turn.acp_widget import turn_traits
from acp_jupyter.kernel.turn.questions import pending_request
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.model.items import AgentMessage, Artifact, Elicitation, Item
from acp_jupyter.transcript.model.session_state import (
    AgentInfo,
    SessionState,
    TurnState,
)
from acp_jupyter.transcript.model.tool_items import Diff, Permission, ToolCall
from tests.support.kernel.fake_host import HostWithoutEvents


class Host(HostWithoutEvents):
    """Has one turn, and maybe what it changed."""

    location: ClassVar[Literal["server", "kernel"]] = "server"
    may_answer: ClassVar[bool] = False

    def __init__(self, detail: TurnDetail, files: tuple[FileTexts, ...]) -> None:
        self.reply = {
            GetTurn: detail,
            GetChanges: ChangesReply(turn_id="t", known=True, files=files),
        }

    def call(self, command: Command, seconds: float) -> Any:
        return self.reply[type(command)]


def held(
    *items: Item,
    status: Literal["running", "done"] = "running",
    files: tuple[FileTexts, ...] = (),
) -> Turn:
    """Return a turn that is what it is."""
    turn = TurnState(turn_id="t", session_id="s", status=status)
    session = SessionState(
        session_id="s",
        agent="demo",
        agent_info=AgentInfo(id="demo", name="Demo"),
        cwd="/home/ada",
        folder="/home/ada",
    )
    detail = TurnDetail.model_construct(turn=turn, items=items, session=session, more=None)
    return Turn(Host(detail, files), detail)


def test_artifacts_come_in_order() -> None:
    made = [
        Artifact(id=f"i{n}", turn_id="t", artifact_id=f"a{n}", name=f"report {n}.html")
        for n in (1, 2)
    ]
    turn = held(made[0], AgentMessage(id="i3", turn_id="t", text="Done"), made[1])
    assert [artifact.name for artifact in turn.artifacts] == ["report 1.html", "report 2.html"]
    assert turn.text == "Done"


def _edit(number: int, path: str, status: Literal["completed", "failed"]) -> ToolCall:
    diff = Diff(path=path, old_text="a", new_text=f"b{number}", added=1, removed=1)
    told = {"id": f"i{number}", "turn_id": "t", "tool_call_id": f"c{number}", "title": "Edit"}
    return ToolCall.model_validate({**told, "status": status, "diffs": (diff,)})


def test_of_a_file_that_was_not_read_the_agents_own_diffs_are_told() -> None:
    read = FileTexts(path="read.py", change="modified", old_text="a", new_text="b")
    unread = FileTexts(path="unread.py", change="modified", kept=False)
    unsaid = FileTexts(path="unsaid.py", change="added", kept=False, size=7)
    turn = held(
        _edit(1, "unread.py", "completed"),
        _edit(2, "unread.py", "failed"),
        _edit(3, "read.py", "completed"),
        _edit(4, "unread.py", "completed"),
        status="done",
        files=(read, unread, unsaid),
    )
    assert [(diff.path, diff.new_text) for diff in turn.diffs] == [
        ("read.py", "b"),
        ("unread.py", "b1"),
        ("unread.py", "b4"),
        ("unsaid.py", ""),
    ]


def _asks(number: int, state: Literal["pending", "allowed"] | None) -> ToolCall:
    permission = (
        None if state is None else Permission(request_id=f"p{number}", title="Run", state=state)
    )
    return ToolCall(
        id=f"i{number}", turn_id="t", tool_call_id=f"c{number}", title="Run", permission=permission
    )


def test_the_first_request_that_waits_is_the_next_one() -> None:
    answered = Elicitation(id="i2", turn_id="t", request_id="e1", state="accepted", title="Q")
    past = (AgentMessage(id="i9", turn_id="t", text="Hi"), _asks(0, None), _asks(1, "allowed"))
    asked = Elicitation(id="i4", turn_id="t", request_id="e2", title="Q")
    earlier, later = _asks(3, "pending"), _asks(5, "pending")
    assert pending_request(held(*past, answered, earlier, asked)._detail) == earlier
    assert pending_request(held(*past, answered, asked, later)._detail) == asked
    assert pending_request(held(*past, answered)._detail) is None


def test_where_a_page_may_show_a_turn_live() -> None:
    detail = held()._detail
    assert turn_traits(detail) == {"turn_id": "t", "notebook_path": "", "cell_id": ""}
    for origin, cell_id in (
        (Origin(notebook_path="a.ipynb", cell_id="c", view_id="v"), "c"),
        (Origin(notebook_path="a.ipynb", view_id="v"), "v"),
    ):
        turn = detail.turn.model_copy(update={"origin": origin})
        traits = turn_traits(detail.model_copy(update={"turn": turn}))
        assert traits == {"turn_id": "t", "notebook_path": "a.ipynb", "cell_id": cell_id}
