"""The sandbox of a branch, and of the session that it left."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.api.models.sessions import RewindReply, SetConfig
from acp_jupyter.features.history.commands import RewindSession, UndoRewind
from tests.sessions.test_sandboxes import NOTEBOOK, can_write, needs_walls, opened, server


@needs_walls
def test_a_branch_and_the_session_that_it_left_are_in_the_sandbox_of_now(tmp_path: Path) -> None:
    with server(tmp_path) as there:
        session = there.open("own", notebook_path=NOTEBOOK, sandbox="off")
        assert can_write(there, session) == {"within", "beside"}
        there.send(SetConfig(session_id=session.session_id, sandbox="folder"))
        # The agent can't take up a conversation in a new process, and so stays in what it has.
        assert can_write(there, session) == {"within", "beside"}
        assert any("stays in no sandbox" in words for words in there.notices(session))
        first = session.transcript.turn_order[0]
        reply = there.send(RewindSession(session_id=session.session_id, turn_id=first, files=False))
        assert isinstance(reply, RewindReply)
        branch = opened(there, reply.session.session_id)
        assert branch.state.sandbox == "folder"
        assert can_write(there, branch) == {"within"}
        there.send(SetConfig(session_id=branch.session_id, sandbox="read-only"))
        reply = there.send(UndoRewind(session_id=branch.session_id, files=False))
        assert isinstance(reply, RewindReply)
        assert reply.session.session_id == session.session_id
        assert session.state.sandbox == "read-only"
