"""A disk that is slow holds up those who wait for it, and nobody else."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from acp_jupyter.host.store.log_reader import read_traffic
from tests.support.host.failing_disk import failing_disk
from tests.support.host.restarts import HostFolders
from tests.support.wait import PATIENCE_SECONDS

MODULE = "acp_jupyter.host.store.traffic_log"
SESSIONS = 20


@pytest.fixture
def kept(tmp_path: Path) -> HostFolders:
    root = tmp_path / "ws"
    root.mkdir()
    return HostFolders(root, tmp_path / "data", ("resume",))


def test_who_waits_for_the_disk_takes_no_thread_from_others(kept: HostFolders) -> None:
    """A turn scans its folder in a thread: there must be one."""
    with kept.server() as server, failing_disk(MODULE) as disk:
        waiting = [server.open("keeper") for _ in range(SESSIONS)]
        other = server.open("keeper")
        server.done(other, server.prompt(other, "one"))
        disk.answers.clear()
        for session in waiting:
            server.run(partial(session.rename, "Waits"))
        saves = [server.host.submit(server.host.sessions.save(session)) for session in waiting]
        server.done(other, server.prompt(other, "two"))
        assert not any(save.done() for save in saves)
        disk.answers.set()
        for save in saves:
            save.result(PATIENCE_SECONDS)
        assert all(session.journal.log.missing == "" for session in waiting)


def test_sessions_that_stream_go_on_while_each_write_takes_seconds(kept: HostFolders) -> None:
    with kept.server() as server, failing_disk(MODULE) as disk:
        sessions = [server.open("keeper") for _ in range(SESSIONS)]
        disk.patience = 2.0
        disk.answers.clear()
        turns = [server.prompt(session, "word " * 1000) for session in sessions]
        for session, turn in zip(sessions, turns, strict=True):
            assert server.done(session, turn).stop_reason == "end_turn"
        disk.answers.set()
        for session in sessions:
            assert session.journal.flush()
            assert session.state.history == "whole"
            numbers = [entry.seq for entry in read_traffic(session.journal.log.path)]
            assert numbers == sorted(numbers)
            assert "word word" in str(list(read_traffic(session.journal.log.path)))
