"""Imported logs in a host."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.commands.imports import ImportReport, ImportRequest, import_log
from acp_jupyter.errors import NothingToImport, SessionImported
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.store.log_reader import read_traffic
from tests.support.host.driver import Driver
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting
from tests.support.log.imported import timeless
from tests.support.log.recorded import TRAFFIC
from tests.support.planted_secret import SECRET
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS

SAID = {"type": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
END = {"type": "prompt_response", "stopReason": "end_turn"}
LIMITS = replace(PATIENT, import_lines=20, import_problems=3, sessions=3)


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    monkeypatch.setenv("LEAKY_API_KEY", SECRET)
    host = AgentHost(
        HostConfig(
            Registry({}, []), tmp_path, tmp_path / "data", limits=LIMITS, trust=trusting(tmp_path)
        )
    )
    host.start()
    yield Driver(host, tmp_path)
    host.stop()


def take(driver: Driver, lines: Iterable[Any], **more: Any) -> ImportReport:
    log = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    request = ImportRequest("folder/log.jsonl", lambda: log, **more)
    return driver.result(import_log(driver.host, request))


def folders(driver: Driver) -> list[Path]:
    return list((driver.root / "data" / "sessions").glob("*"))


def test_it_is_a_stopped_session_that_refuses_all_work(driver: Driver) -> None:
    changes: list[None] = []
    driver.host.sessions.on_change(lambda: changes.append(None))
    named = {"sessionUpdate": "session_info_update", "title": "As the agent calls it"}
    report = take(driver, [named, SAID, END])
    session = driver.host.sessions.require(report.session_id)
    assert (session.state.title, session.state.status) == ("Imported: log.jsonl", "stopped")
    assert changes == [None], "told once, when it is whole"
    with pytest.raises(SessionImported, match="no agent"):
        driver.prompt(session)
    for work in (session.start(), session.set_mode("x"), session.set_config("a", "b")):
        with pytest.raises(SessionImported, match="no agent"):
            driver.result(work)
    driver.run(session.start_in_background)
    driver.run(lambda: session.rename("Mine"))
    assert session.state.title == "Mine"
    driver.result(driver.host.sessions.close(report.session_id))


def test_a_turn_that_the_log_leaves_open_is_closed_in_words(driver: Driver) -> None:
    call = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "bash"}
    asks = {"type": "permission_request", "request_id": "r", "operation": "delete_file"}
    at = {"timestamp": "2026-01-02T03:04:05Z"}
    report = take(driver, [call | at, asks | at])
    session = driver.host.sessions.require(report.session_id)
    state = session.transcript
    (turn,) = (state.turns[turn_id] for turn_id in state.turn_order)
    assert (turn.status, turn.words, turn.ended_at) == ("done", "The log ends here.", 1767323045.0)
    (open_call, asked) = [item for item in state.window(0, 99) if item.kind == "tool_call"]
    assert open_call.status == "cancelled"
    assert asked.permission is not None
    assert asked.permission.state == "expired"
    assert session.state.waiting == 0


def test_what_could_not_be_taken_is_told_with_its_line(driver: Driver) -> None:
    strange = {"type": "hologram"}
    wrong = {"type": "tool_call_start", "toolCallId": 5}
    report = take(driver, [SAID, '{"type": "agent_mess', strange, wrong, strange, END])
    assert [(problem.line, problem.message[:22]) for problem in report.problems] == [
        (2, "This is not JSON (Unte"),
        (3, "This version can't dis"),
        (4, "This version can't dis"),
    ]
    assert report.problem_count == 4
    assert driver.host.sessions.require(report.session_id).journal.flush(FOREVER_SECONDS)
    log = list(read_traffic(driver.host.traffic_path(report.session_id)))
    assert {"note": "imported_packet", "packet": strange} in [dict(entry.message) for entry in log]


def test_the_traffic_of_an_import_gives_it_again(driver: Driver) -> None:
    first = take(driver, [SAID, END])
    session = driver.host.sessions.require(first.session_id)
    assert session.journal.flush(FOREVER_SECONDS)
    path = driver.host.traffic_path(first.session_id)
    again = driver.host.sessions.require(take(driver, path.read_bytes().splitlines()).session_id)
    one, other = (
        [timeless(item.model_dump()) for item in s.transcript.window(0, 99)]
        for s in (session, again)
    )
    assert one == other
    assert len(one) == 2


def test_secrets_of_this_machine_are_not_written_down(driver: Driver) -> None:
    said = json.loads(json.dumps(SAID).replace("Hi", f"It is {SECRET}"))
    report = take(driver, [said, END])
    assert driver.host.sessions.require(report.session_id).journal.flush(FOREVER_SECONDS)
    assert SECRET not in driver.host.traffic_path(report.session_id).read_text()


def test_a_long_log_is_cut_and_says_so(driver: Driver) -> None:
    report = take(driver, [SAID] * 100)
    assert report.entries == LIMITS.import_lines
    assert report.problems[-1].line == 19
    assert "too long" in report.problems[-1].message
    assert driver.host.sessions.require(report.session_id).state.status == "stopped"


@pytest.mark.parametrize(
    ("lines", "more", "words"),
    [
        (["x = 1"], {}, "is not a log that can be imported"),
        ([SAID], {"dialect": "claude-cli"}, "is a log of packets, not of the Claude CLI's"),
        ([SAID], {"session": "none"}, "has no session none"),
    ],
)
def test_nothing_is_left_of_what_is_refused(
    driver: Driver, lines: list[Any], more: dict[str, str], words: str
) -> None:
    with pytest.raises(NothingToImport, match=words):
        take(driver, lines, **more)
    assert folders(driver) == []
    assert driver.host.sessions == {}


def test_one_that_nobody_looks_at_makes_room_and_is_kept(driver: Driver) -> None:
    taken = [take(driver, [SAID]).session_id for _ in range(LIMITS.sessions + 1)]
    assert driver.run(lambda: len(driver.host.sessions)) == LIMITS.sessions
    driver.result(driver.host.sessions.wake(taken[0]))
    assert driver.run(lambda: driver.host.sessions.require(taken[0]).transcript.items[0].kind)


def test_one_that_is_being_put_away_can_be_opened_at_once(driver: Driver) -> None:
    session_id = take(driver, [SAID]).session_id

    async def close_and_open() -> str:
        await driver.host.sessions.stored()  # what is kept is known
        closing = asyncio.create_task(driver.host.sessions.close(session_id))
        await asyncio.sleep(0)  # it begins
        assert session_id not in driver.host.sessions
        await driver.host.sessions.wake(session_id)
        await closing
        return driver.host.sessions.require(session_id).transcript.items[0].kind

    assert driver.result(close_and_open()) == "agent_message"


def test_who_gives_up_leaves_nothing_behind(driver: Driver) -> None:
    reading, given_up = threading.Event(), threading.Event()

    def endless() -> Iterator[str]:
        yield json.dumps(SAID)
        if len(folders(driver)) == 0:
            return  # they are only looking at it
        reading.set()
        assert given_up.wait(PATIENCE_SECONDS)
        yield from (json.dumps(SAID) for _ in range(5))

    async def give_up() -> None:
        work = asyncio.ensure_future(import_log(driver.host, ImportRequest("log", endless)))
        await asyncio.to_thread(reading.wait, 20)
        work.cancel()
        await asyncio.sleep(0)
        given_up.set()
        with pytest.raises(asyncio.CancelledError):
            await work

    driver.result(give_up())
    assert folders(driver) == []
    assert driver.host.sessions == {}


def test_other_sessions_of_the_log_are_named(driver: Driver) -> None:
    def prompt(session: str, number: int) -> dict[str, Any]:
        params = {"sessionId": session, "prompt": []}
        return {"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": params}

    report = take(driver, [prompt("one", 1), prompt("two", 2), prompt("two", 3)])
    assert report.facts.session == "two"
    assert "the others are one" in report.problems[-1].message


def test_no_recorded_log_has_a_problem_or_leaves_an_error_in_the_servers_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = AgentHost(
        HostConfig(Registry({}, []), tmp_path, tmp_path / "data", trust=trusting(tmp_path))
    )
    host.start()
    driver = Driver(host, tmp_path)
    files = [file for folder in ("claude_cli", "logs", "traffic") for file in of(folder)]
    problems = {file.name: take(driver, file.read_bytes().splitlines()).problems for file in files}
    host.stop()
    assert len(problems) > 35
    assert {name: found for name, found in problems.items() if found} == {}
    assert caplog.records == []


def of(folder: str) -> list[Path]:
    return sorted((TRAFFIC.parent / folder).iterdir())
