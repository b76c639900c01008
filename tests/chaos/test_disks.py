"""Servers on a disk that is full, freed or read-only: turns are kept, or said to be lost.

Where the tests may mount, as root in a container, the disk is a small one of its own: filled to
the last page, or mounted read-only. Elsewhere no file of the server's process may grow
(``RLIMIT_FSIZE``, which its user may set), and files and folders lose their mode to be written.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.fake_agent import script
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.server.small_disk import SmallDisk
from tests.support.wait import eventually

AGENTS = {"words": script("slow_stream", "30", "0.002")}
"""Servers start slowly on a busy machine."""
SENT = "".join(f"word{number} " for number in range(30))


def server_in(folder: Path) -> JupyterServer:
    return JupyterServer(folder, agents=AGENTS)


def said(detail: dict[str, Any]) -> str:
    return "".join(item["text"] for item in detail["items"] if item["kind"] == "agent_message")


def turn_done(user: httpx.Client, session_id: str, text: str) -> str:
    """Send a message and see that its answer is shown; return the turn's id."""
    turn_id = start_turn(user, session_id, text)
    assert said(finished(user, turn_id)) == SENT
    return turn_id


def notices(user: httpx.Client, session_id: str, words: str) -> list[str]:
    page = user.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
    texts = [item["text"] for item in page["items"] if item["kind"] == "notice"]
    return [text for text in texts if words in text]


def history(user: httpx.Client, session_id: str) -> str:
    return str(user.get(f"sessions/{session_id}").json()["history"])


@pytest.mark.long
def test_turns_on_a_full_disk_are_there_after_a_kill_once_it_was_freed(tmp_path: Path) -> None:
    with SmallDisk(tmp_path / "data") as disk:
        with server_in(tmp_path) as server, server.user() as user:
            session_id = open_session(user, "words")
            turns = [turn_done(user, session_id, "one")]
            with disk.full(server.pid) as fill:
                fill()
                turns.append(turn_done(user, session_id, "two"))
                lost = "Not kept: nothing can be written to the disk"
                eventually(lambda: notices(user, session_id, lost), "said that it is lost")
                assert history(user, session_id) == "gap"
                fill()
                refused = user.post("sessions", json={"agent": "words", "new": True})
                assert refused.status_code == 507
                assert refused.json()["message"].startswith("Nothing can be written to the disk: ")
            eventually(lambda: notices(user, session_id, "The disk has free space again"), "room")
            turns.append(turn_done(user, session_id, "three"))
            assert history(user, session_id) == "whole"
            user.get(f"sessions/{session_id}/traffic").raise_for_status()  # the log is in its file
            server.kill()
        with server_in(tmp_path) as server, server.user() as user:
            assert [said(finished(user, each)) for each in turns] == [SENT] * 3
            assert history(user, session_id) == "whole"
            assert notices(user, session_id, "missing") == []
            assert len(user.get("sessions").json()) == 1


@pytest.mark.long
def test_a_server_killed_on_a_full_disk_leaves_a_session_that_says_what_is_missing(
    tmp_path: Path,
) -> None:
    with SmallDisk(tmp_path / "data") as disk:
        with server_in(tmp_path) as server, server.user() as user:
            session_id = open_session(user, "words")
            kept = turn_done(user, session_id, "one")
            user.get(f"sessions/{session_id}/traffic").raise_for_status()
            with disk.full(server.pid) as fill:
                fill()
                turn_done(user, session_id, "two")
                server.kill()
        with server_in(tmp_path) as server, server.user() as user:
            assert said(finished(user, kept)) == SENT
            assert history(user, session_id) == "gap"
            assert len(notices(user, session_id, "Lines are missing")) == 1
            turn_done(user, session_id, "three")


@pytest.mark.long
def test_a_read_only_folder_is_read_and_written_again_when_it_can_be(tmp_path: Path) -> None:
    with SmallDisk(tmp_path / "data") as disk:
        with server_in(tmp_path) as server, server.user() as user:
            session_id = open_session(user, "words")
            turns = [turn_done(user, session_id, "one")]
        with disk.read_only(), server_in(tmp_path) as server, server.user() as user:
            assert said(finished(user, turns[0])) == SENT
            state = user.get(f"sessions/{session_id}").json()
            assert "can't be written" in state["read_only"]
            assert state["history"] == "whole"
            refused = user.post(f"sessions/{session_id}/prompt", json={"prompt": "two"})
            assert (refused.status_code, refused.json()["reason"]) == (409, "imported")
            refused = user.post("sessions", json={"agent": "words", "new": True})
            assert refused.status_code == 507
        with server_in(tmp_path) as server, server.user() as user:
            turns.append(turn_done(user, session_id, "three"))
            assert [said(finished(user, each)) for each in turns] == [SENT] * 2
