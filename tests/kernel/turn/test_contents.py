"""What is read from a turn."""

from __future__ import annotations

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.turn.contents import TurnValues
from acp_jupyter.transcript.model.items import AgentMessage, Artifact, Item
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState, TurnState


class Held(TurnValues):
    """A turn that is what it is."""

    def __init__(self, *items: Item) -> None:
        turn = TurnState.model_construct(turn_id="t", session_id="s")
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
