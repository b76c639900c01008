"""A server that starts again goes on from the resume point of a session."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.metadata import read_meta
from acp_jupyter.host.store.restore import read_session
from acp_jupyter.host.store.resume_point import HEAD_FILE
from tests.support.host.restarts import FAST, HostFolders, Server
from tests.support.wait import eventually

OFTEN = replace(FAST, resume_bytes=1_000)


def say(server: Server, session: Session, text: str) -> None:
    server.done(session, server.prompt(session, text))


def lines_read(folder: Path) -> int:
    meta = read_meta(folder)
    assert meta is not None
    return read_session(folder, meta).lines


def test_turns_before_the_restart_are_there_without_their_lines(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    kept = HostFolders(root, tmp_path / "data", ("resume",))
    said: list[str] = []
    with kept.server(OFTEN) as server:
        session = server.open("keeper")
        session_id = session.session_id
        folder = kept.data / "sessions" / session_id
        say(server, session, "one")
        # While it runs: what a server leaves that is killed now.
        eventually((folder / HEAD_FILE).exists, what="a resume point")
        killed = tmp_path / "killed" / session_id
        shutil.copytree(folder, killed)
        say(server, session, "two")
        said = server.said(session)
    lines = len((folder / "traffic.ndjson").read_bytes().splitlines())
    assert lines_read(killed) < lines / 2
    assert lines_read(folder) <= 2  # such as that its agent has ended
    with kept.server(OFTEN) as server:
        session = server.woken(session_id)
        assert server.said(session) == said
        say(server, session, "three")
        assert server.said(session) == [*said, "three", "After 2: three"]
    (folder / HEAD_FILE).write_text("no resume point")
    with kept.server(OFTEN) as server:
        assert server.said(server.woken(session_id)) == [*said, "three", "After 2: three"]
