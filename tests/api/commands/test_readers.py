"""What is read of turns and their changes, and in what parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.api.access import UserCaller
from acp_jupyter.errors import ChangesGone
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from tests.support.agents.fake_agent import script
from tests.support.host.commands import CommandSender
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.log.written_log import Log
from tests.support.wait import eventually

USER = UserCaller("ada")
"""Who waits for what a turn changed waits too long for `Door.send`."""


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[CommandSender]:
    root = tmp_path / "ws"
    root.mkdir()
    registry = Registry({"own": script("own_tools")}, [])
    config = HostConfig(registry, root, tmp_path / "data", limits=PATIENT, trust=trusting(tmp_path))
    host = AgentHost(config)
    host.start()
    yield CommandSender(host, root)
    host.stop()


def ran(sender: CommandSender, session: Session, deed: str) -> str:
    turn_id = sender.say(USER, session, deed).turn_id
    sender.done(session, turn_id)
    return turn_id


def test_the_final_output_comes_with_the_first_part_of_a_turn(sender: CommandSender) -> None:
    turn_id = ran(sender, sender.make(USER, agent="own"), "tell One")
    whole = sender.send(USER, "get_turn", turn_id=turn_id)
    assert whole.bundle is not None
    part = sender.send(USER, "get_turn", turn_id=turn_id, start=0)
    assert part.bundle is None
    assert part.items == whole.items


def test_a_transcript_is_of_all_turns_or_of_one(sender: CommandSender) -> None:
    session = sender.make(USER, agent="own")
    first = ran(sender, session, "tell One")
    ran(sender, session, "tell Two")
    queued = [sender.say(USER, session, text).turn_id for text in ("wait", "tell Three")]

    def markdown(turn_id: str) -> str:
        command = {"session_id": session.session_id, "turn_id": turn_id, "format": "markdown"}
        return str(sender.send(USER, "get_transcript", **command)["markdown"])

    eventually(lambda: session.state.active_turn_id == queued[0])
    assert [f"\n{each}\n" in markdown("") for each in ("One", "Two")] == [True, True]
    assert [f"\n{each}\n" in markdown(first) for each in ("One", "Two")] == [True, False]
    assert "wait" in (last := markdown("last"))
    assert "Three" not in last
    sender.settle()


def test_of_a_turn_that_runs_no_changes_are_known_yet(sender: CommandSender) -> None:
    session = sender.make(USER, agent="own")
    turn_id = sender.say(USER, session, "wait").turn_id
    eventually(lambda: session.state.active_turn_id == turn_id)
    changes = sender.send(USER, "get_changes", turn_id=turn_id)
    assert (changes.known, changes.words) == (False, "The changes of this turn are not stored.")
    assert session.state.active_turn_id == turn_id
    sender.settle()


def test_a_turn_whose_files_are_not_kept_is_not_reverted(sender: CommandSender) -> None:
    log = Log()
    log.new(1, "s")
    log.prompt(2, "Go")
    log.end(2)
    content = "\n".join(json.dumps(line) for line in log.lines).encode()
    (turn_id,) = sender.send(USER, "import_log", content=content, file_name="a.ndjson").turn_ids
    with pytest.raises(ChangesGone, match=r"can't be read: the folder is gone"):
        sender.send(USER, "revert_turn", turn_id=turn_id)
