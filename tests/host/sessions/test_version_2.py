"""Agents of version 2 of the protocol, and those that say one version and speak the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.items import Item
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.wait import eventually


@contextmanager
def talking(folder: Path, how: str = "", **entry: object) -> Iterator[tuple[Driver, Session]]:
    """Yield a session of the agent."""
    agent = {**script("version_2", *([how] if how else [])), "protocol_version": 2, **entry}
    with driving(folder, {"two": agent}) as driver:
        yield driver, driver.open("two")


def items(session: Session, turn_id: str) -> list[Item]:
    return list(session.transcript.each_of_turn(turn_id))


def calls(session: Session, turn_id: str) -> list[ToolCall]:
    return [item for item in items(session, turn_id) if isinstance(item, ToolCall)]


def played(driver: Driver, session: Session, text: str, option: str = "yes") -> str:
    """Run a turn; what is asked meanwhile is answered ``option``."""
    turn_id = driver.prompt(session, text)

    def ended() -> bool:
        driver.answer_open(session, option)
        return session.transcript.turns[turn_id].status == "done"

    eventually(ended)
    return turn_id


def lines(session: Session) -> list[TrafficEntry]:
    session.journal.flush()
    with session.journal.log.path.open("rb") as file:
        return [found for found in read_log(file) if isinstance(found, TrafficEntry)]


def sent(session: Session, method: str) -> list[dict[str, object]]:
    found = (line.message for line in lines(session) if line.direction == ">")
    return [dict(each["params"]) for each in found if each.get("method") == method]


def test_a_turn_with_a_request_and_a_command(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        turn_id = driver.prompt(session, "turn")
        request_id = driver.asked(session)
        (asked,) = calls(session, turn_id)
        assert asked.title == "Edit edited.txt"
        assert asked.permission is not None
        assert asked.permission.reason == "May I edit?\nIt is needed."
        assert [(d.path, d.old_text, d.new_text) for d in asked.diffs] == [
            ("edited.txt", "one\ntwo", "one\nthree")
        ]
        driver.answer(session, request_id, "yes")
        turn = driver.done(session, turn_id)
        assert (turn.stop_reason, turn.tokens) == ("end_turn", 12)
        assert [item.kind for item in items(session, turn_id)] == [
            "user_message",
            "thought",
            "agent_message",
            "tool_call",
            "tool_call",
            "turn_end",
        ]
        assert driver.text(session) == "I begin anew."
        edit, run = calls(session, turn_id)
        assert (edit.status, run.status) == ("completed", "completed")
        assert (run.command, run.exit_code) == ("make", 0)
        assert str(session.transcript.text_of(run.id)) == "höre\n"
        state = session.state
        assert (state.agent_info.name, state.agent_info.version) == ("Second", "2.0")
        assert [command.name for command in state.commands] == ["help"]
        assert [option.id for option in state.config_options] == ["how"]


def test_the_log_holds_what_the_agent_wrote(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        played(driver, session, "turn")
        written = lines(session)
        kinds = [
            str(line.message["params"]["update"]["sessionUpdate"])
            for line in written
            if line.message.get("method") == "session/update"
        ]
        assert {"user_message", "state_update", "terminal_output_chunk"} <= set(kinds)
        (asked,) = (x.seq for x in written if x.message.get("method") == "session/prompt")
        (answer,) = (line for line in written if line.re == asked)
        assert answer.message["result"] == {"messageId": "u1"}


def test_what_has_no_call_is_asked_all_the_same(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        turn_id = played(driver, session, "command", "no")
        rm, other = calls(session, turn_id)
        assert (rm.title, rm.command, rm.tool_kind) == ("Delete x?", "rm x", "execute")
        assert other.title == "Go on?"
        assert driver.text(session) == "no no"


def test_stop(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        turn_id = driver.prompt(session, "long")
        eventually(lambda: driver.text(session) == "working")
        driver.run(session.cancel)
        assert driver.done(session, turn_id).stop_reason == "cancelled"
        assert played(driver, session, "nothing")
        pids = [line for line in lines(session) if line.message.get("method") == "initialize"]
        assert len(pids) == 1  # it was not started again


def test_an_end_that_is_told_again_ends_nothing(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        played(driver, session, "nothing")
        turn_id = played(driver, session, "stale")
        assert [item.kind for item in items(session, turn_id)] == [
            "user_message",
            "agent_message",
            "turn_end",
        ]


def test_an_error_of_the_work_is_one_of_the_turn(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        turn = driver.done(session, driver.prompt(session, "error"))
        assert turn.stop_reason == "error"
        assert "No model" in turn.words


def test_a_mode_is_an_option(tmp_path: Path) -> None:
    with talking(tmp_path) as (driver, session):
        played(driver, session, "nothing")
        assert [mode.id for mode in session.state.modes] == ["ask", "plan"]
        driver.result(session.set_mode("plan"))
        assert session.state.current_mode_id == "plan"
        (change,) = sent(session, "session/set_config_option")
        assert (change["configId"], change["value"], change["type"]) == ("how", "plan", "id")


@pytest.mark.parametrize(("how", "taken"), [("", "stdio:tool,http:page"), ("no_programs", "")])
def test_mcp_servers_are_told_as_version_2_has_them(tmp_path: Path, how: str, taken: str) -> None:
    servers = [
        {"name": "tool", "command": "/bin/tool", "args": [], "env": []},
        {"type": "http", "name": "page", "url": "http://localhost:1", "headers": []},
    ]
    agents = {"two": {**script("version_2", *([how] if how else [])), "protocol_version": 2}}
    with driving(tmp_path, agents, mcp_servers=servers) as driver:
        session = driver.open("two")
        played(driver, session, "nothing")
        (option,) = session.state.config_options
        assert option.description == taken


def test_a_session_is_resumed_and_what_the_agent_keeps_is_told(tmp_path: Path) -> None:
    agents = {"two": {**script("version_2"), "protocol_version": 2}}
    with driving(tmp_path, agents) as driver:
        session = driver.open("two")
        played(driver, session, "nothing")
        session_id = session.session_id
    with driving(tmp_path, agents) as driver:
        driver.result(driver.host.sessions.wake(session_id))
        session = driver.host.sessions.require(session_id)
        played(driver, session, "nothing")
        (resumed,) = sent(session, "session/resume")
        assert "replayFrom" not in resumed
        assert session.state.history != "without"


@pytest.mark.parametrize("how", ["echo", "old_words", "new_words", "refuses"])
def test_an_agent_that_mixes_the_versions_is_understood(tmp_path: Path, how: str) -> None:
    with talking(tmp_path, how) as (driver, session):
        turn_id = played(driver, session, "nothing")
        assert session.transcript.turns[turn_id].stop_reason == "end_turn"
        words = {"new_words": "done"}.get(how, "in old words")
        eventually(lambda: driver.text(session) == words)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("version_3", "speaks version 3 of the Agent Client Protocol"),
        ("refuses_all", "answered initialize with an error: Unsupported protocol version"),
    ],
)
def test_what_cannot_be_talked_to_is_said_in_words(tmp_path: Path, how: str, words: str) -> None:
    with talking(tmp_path, how) as (driver, session):
        turn = driver.done(session, driver.prompt(session, "nothing"))
        assert turn.stop_reason == "error"
        assert words in turn.words


def test_version_2_is_offered_where_the_entry_says_so(tmp_path: Path) -> None:
    with talking(tmp_path, protocol_version=1) as (driver, session):
        played(driver, session, "nothing")
        (asked,) = sent(session, "initialize")
        assert asked["protocolVersion"] == 1
        assert "capabilities" not in asked
        assert driver.text(session) == "in old words"
