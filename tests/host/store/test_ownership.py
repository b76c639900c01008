"""Which server owns the folder of a session."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.ownership import ELSEWHERE, OWNER_FILE, Ownership

OTHER = "0" * 32
HERE = socket.gethostname()
NO_PROCESS = 2**22 + 1
"""Larger than Linux gives."""


@pytest.fixture
def ownership(tmp_path: Path) -> Iterator[Ownership]:
    ownership = Ownership(tmp_path, Limits())
    yield ownership
    ownership.close()


def owned_by_another(folder: Path, sign: str) -> Path:
    """Make a session's folder whose mark names a server with this heartbeat file."""
    servers, session = folder / "servers", folder / "sessions" / "s1"
    servers.mkdir()
    session.mkdir(parents=True)
    (session / OWNER_FILE).write_text(OTHER)
    if sign:
        (servers / f"{OTHER}.json").write_text(sign)
    return session


@pytest.mark.parametrize(
    "sign",
    [
        "",
        "{",
        "[]",
        json.dumps({"pid": NO_PROCESS, "host": HERE}),
        json.dumps({"pid": "1", "host": HERE}),
        json.dumps({"host": HERE}),
    ],
    ids=["no heartbeat", "torn", "no object", "ended", "pid is a text", "no pid"],
)
def test_the_folder_of_a_server_that_has_ended_is_taken(
    tmp_path: Path, ownership: Ownership, sign: str
) -> None:
    folder = owned_by_another(tmp_path, sign)
    assert ownership.why_not_delete(folder) == ""
    assert ownership.take(folder) == ""
    assert ownership.owns(folder)
    assert not (tmp_path / "servers" / f"{OTHER}.json").exists()
    assert (folder / OWNER_FILE).read_text() != OTHER


@pytest.mark.parametrize(
    ("pid", "host"), [(os.getpid(), HERE), (NO_PROCESS, "another machine")], ids=["here", "there"]
)
def test_the_folder_of_a_server_that_runs_is_left_to_it(
    tmp_path: Path, ownership: Ownership, pid: int, host: str
) -> None:
    folder = owned_by_another(tmp_path, json.dumps({"pid": pid, "host": host}))
    assert ownership.why_not_delete(folder) == ELSEWHERE
    assert ownership.take(folder) == ELSEWHERE
    assert (folder / OWNER_FILE).read_text() == OTHER


def test_a_server_of_another_machine_that_beats_no_more_has_ended(
    tmp_path: Path, ownership: Ownership
) -> None:
    folder = owned_by_another(tmp_path, json.dumps({"pid": 1, "host": "another machine"}))
    os.utime(tmp_path / "servers" / f"{OTHER}.json", (1, 1))
    assert ownership.take(folder) == ""
