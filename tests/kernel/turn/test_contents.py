"""What is read from a turn."""

from __future__ import annotations

from typing import Literal

from acp_jupyter.api.models.turns import ChangesReply, FileTexts, TurnDetail
from acp_jupyter.kernel.turn.acp_widget import turn_traits
from acp_jupyter.kernel.turn.contents import ChangedTurn, TurnValues
from acp_jupyter.kernel.turn.questions import pending_request
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.model.items import AgentMessage, Artifact, Elicitation, Item
from acp_jupyter.transcript.model.session_state import (
    AgentInfo,
    SessionState,
    TurnState,
)
from acp_jupyter.transcript.model.tool_items import Diff, Permission, ToolCall


class Held(TurnValues):
    """A turn that is what it is."""

    def __init__(self, *items: Item, status: Literal["running", "done"] = "running") -> None:
        turn = TurnState(turn_id="t", session_id="s", status=status)
        session = SessionState(
            session_id="s",
            agent="demo",
            agent_info=AgentInfo(id="demo", name="Demo"),
            cwd="/home/ada",
            folder="/home/ada",
        )
        self._detail = TurnDetail.model_construct(turn=turn, items=items, session=session)

    def _current(self) -> TurnDetail:
        return self._detail


def test_artifacts_come_in_order() -> None:
    made = [
        Artifact(id=f"i{n}", turn_id="t", artifact_id=f"a{n}", name=f"report {n}.html")
        for n in (1, 2)
    ]
    turn = Held(made[0], AgentMessage(id="m", turn_id="t", text="Done"), made[1])
    assert [artifact.name for artifact in turn.artifacts] == ["report 1.html", "report 2.html"]
    assert turn.text == "Done"


class HeldChanges(Held, ChangedTurn):
    """A turn that has ended, and what is kept of its changes."""

    def __init__(self, *items: Item, files: tuple[FileTexts, ...]) -> None:
        super().__init__(*items, status="done")
        self._changes = ChangesReply(turn_id="t", known=True, files=files)


def _edit(number: int, path: str, status: Literal["completed", "failed"]) -> ToolCall:
    diff = Diff(path=path, old_text="a", new_text=f"b{number}", added=1, removed=1)
    told = {"id": f"i{number}", "turn_id": "t", "tool_call_id": f"c{number}", "title": "Edit"}
    return ToolCall.model_validate({**told, "status": status, "diffs": (diff,)})


def test_of_a_file_that_was_not_read_the_agents_own_diffs_are_told() -> None:
    read = FileTexts(path="read.py", change="modified", old_text="a", new_text="b")
    unread = FileTexts(path="unread.py", change="modified", kept=False)
    unsaid = FileTexts(path="unsaid.py", change="added", kept=False, size=7)
    turn = HeldChanges(
        _edit(1, "unread.py", "completed"),
        _edit(2, "unread.py", "failed"),
        _edit(3, "read.py", "completed"),
        _edit(4, "unread.py", "completed"),
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
    asked = Elicitation(id="i3", turn_id="t", request_id="e2", title="Q")
    past = (AgentMessage(id="m", turn_id="t", text="Hi"), _asks(0, None), _asks(1, "allowed"))
    waits = _asks(4, "pending")
    assert pending_request(Held(*past, answered, waits, asked)._detail) == waits
    assert pending_request(Held(*past, answered, asked, waits)._detail) == asked
    assert pending_request(Held(*past, answered)._detail) is None


def test_where_a_page_may_show_a_turn_live() -> None:
    detail = Held()._detail
    assert turn_traits(detail) == {"turn_id": "t", "notebook_path": "", "cell_id": ""}
    for origin, cell_id in (
        (Origin(notebook_path="a.ipynb", cell_id="c", view_id="v"), "c"),
        (Origin(notebook_path="a.ipynb", view_id="v"), "v"),
    ):
        turn = detail.turn.model_copy(update={"origin": origin})
        traits = turn_traits(detail.model_copy(update={"turn": turn}))
        assert traits == {"turn_id": "t", "notebook_path": "a.ipynb", "cell_id": cell_id}
