"""A replay needs no sandbox, as it runs no command."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.host.recording_options import RecordingOptions
from tests.sessions.test_sandboxes import NOTEBOOK, can_write, needs_walls, server


@needs_walls
def test_a_replay_needs_no_sandbox(tmp_path: Path) -> None:
    options = RecordingOptions(mode="record")
    with server(tmp_path, sandbox="folder") as there:
        session = there.open("own", notebook_path=NOTEBOOK, recording=options)
        assert can_write(there, session) == {"within"}
    replay = RecordingOptions(mode="replay")
    with server(tmp_path, {}, sandbox="read-only") as there:
        session = there.open("own", notebook_path=NOTEBOOK, recording=replay)
        there.run(session.start_in_background)
        assert can_write(there, session, policy="allow-all") == {"within"}
        assert session.state.walls is None
