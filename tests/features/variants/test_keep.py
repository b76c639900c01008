"""What is kept of a variant, and taken out again; also where its server was killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_jupyter.api.models.turns import KeepVariant
from acp_jupyter.features.variants.commands import CreateVariant
from acp_jupyter.transcript.model.session_state import SessionState
from tests.sessions.test_interrupted_turns import begun, killed, paths, settled
from tests.sessions.test_operations import Start, say, start
from tests.support.host.checkpoints import held
from tests.support.wait import eventually

__all__ = ["start"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_is_after_keep_and_undo_as_it_was(start: Start, is_there: bool) -> None:
    with start() as server:
        state = server.send(CreateVariant(agent="own"))
        assert isinstance(state, SessionState)
        turn_id = say(server, server.host.sessions[state.session_id], "write new/c.py x")
        if is_there:
            (server.root / "new").mkdir()
        before = held(server.root)
        server.send(KeepVariant(turn_id=turn_id))
        assert (server.root / "new" / "c.py").read_text() == "x"
        server.send(KeepVariant(turn_id=turn_id, undo=True))
        assert held(server.root) == before


def test_a_variant_of_a_killed_server_can_be_kept(tmp_path: Path, start: Start) -> None:
    picture = killed(tmp_path)
    with start() as server:
        state = server.send(CreateVariant(agent="own"))
        assert isinstance(state, SessionState)
        session = server.host.sessions[state.session_id]
        turn_id = begun(server, session)
        server.run(session.journal.flush)
        picture.take()
    picture.put_back()
    with start() as server:
        turn = settled(server, turn_id)
        assert (paths(turn), turn.changes_unknown) == (["a.py"], "")
        server.send(KeepVariant(turn_id=turn_id))
        assert (server.root / "a.py").read_text() == "one"
        eventually(lambda: not any((tmp_path / "data" / "variants").iterdir()))
