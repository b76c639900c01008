"""Sessions with real agent processes: what the host promises its users."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from acp_jupyter.errors import (
    BadRequest,
    EmptyPrompt,
    HostClosed,
    PermissionGone,
    PermissionSettled,
    UnknownAgent,
)
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.notes import AgentExited
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.driver import Driver, driving
from tests.support.host.failing_disk import failing_disk
from tests.support.host.limits import PATIENT
from tests.support.host.sent_messages import watch_sent
from tests.support.host.trusted_folders import trusting
from tests.support.wait import FOREVER_SECONDS, eventually

MODES = (
    *("hello", "slow_stream", "flood", "permission", "two_permissions", "permission_outlived"),
    *("never_initialize", "never_new_session", "exits_at_once", "deaf", "env_dump"),
    *("garbage", "weird_ids", "dialects", "open_calls"),
)
AGENTS = {
    **{mode: script(mode) for mode in MODES},
    "no_such_command": {"command": "no-such-command-anywhere"},
}
LIMITS = dataclasses.replace(PATIENT, cancel_grace_seconds=1)


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, AGENTS, LIMITS) as driver:
        yield driver
    eventually(lambda: not _left(tmp_path), "agents are left")


def _left(folder: Path) -> list[psutil.Process]:
    """Return the agents that work below a folder; servers of other tests have theirs."""
    children = psutil.Process().children(recursive=True)
    return [
        p for p in children if "tests/fake_agents" in " ".join(_cmd(p)) and _works_in(p, folder)
    ]


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return Path(process.cwd()).is_relative_to(folder)
    except psutil.Error:
        return False


def _cmd(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_the_file_changes_only_after_it_was_allowed(driver: Driver) -> None:
    """The agent waits for the answer, and gets the option that was chosen."""
    session = driver.open("permission")
    turn_id = driver.prompt(session, "hello")
    request = driver.asked(session)
    file = driver.root / "edited.txt"
    assert not file.exists()
    assert driver.run(lambda: session.turns.permissions.answer(request, "yes")) == "Allow"
    assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert file.read_text() == "hello\n"
    with pytest.raises(PermissionSettled):
        driver.run(lambda: session.turns.permissions.answer(request, "no"))


@pytest.mark.parametrize("option", ["no", None])
def test_what_is_not_allowed_is_not_written(driver: Driver, option: str | None) -> None:
    """An option that rejects, or none."""
    session = driver.open("permission")
    turn_id = driver.prompt(session)
    request = driver.asked(session)
    driver.run(lambda: session.turns.permissions.answer(request, option))
    driver.done(session, turn_id)
    assert not (driver.root / "edited.txt").exists()


def test_an_option_that_was_not_offered_is_no_answer(driver: Driver) -> None:
    session = driver.open("permission")
    driver.prompt(session)
    request = driver.asked(session)
    with pytest.raises(BadRequest, match="no option 'allow'"):
        driver.run(lambda: session.turns.permissions.answer(request, "allow"))
    assert session.state.waiting == 1


@pytest.mark.parametrize("stopped", [False, True])
def test_an_answer_may_come_before_the_request_is_dealt_with(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    session = driver.open("permission")
    asking = session.turns.permissions
    ask, cancel_all, begin = asking.ask, asking.cancel_all, threading.Event()

    async def ask_late(request_id: str) -> str | None:
        await asyncio.to_thread(begin.wait, 10)
        return await ask(request_id)

    def cancel_first() -> None:
        cancel_all()
        begin.set()

    monkeypatch.setattr(asking, "ask", ask_late)
    monkeypatch.setattr(asking, "cancel_all", cancel_first)
    turn_id = driver.prompt(session)
    request = driver.asked(session)
    driver.answer(session, request, "yes")
    with pytest.raises(PermissionSettled):
        driver.answer(session, request, "no")
    if stopped:
        driver.run(lambda: session.cancel())
    else:
        begin.set()
    done = driver.done(session, turn_id)
    assert done.stop_reason == ("cancelled" if stopped else "end_turn")
    assert (driver.root / "edited.txt").exists() is not stopped


@pytest.mark.parametrize(
    ("policy", "written"), [("accept-edits", True), ("read-only", False), ("deny", False)]
)
def test_policies_answer_at_once(driver: Driver, policy: Policy, written: bool) -> None:
    session = driver.open("permission")
    turn_id = driver.prompt(session, policy=policy, can_ask=False)
    assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert (driver.root / "edited.txt").exists() is written


def test_where_nobody_can_be_asked_it_is_refused_at_once_in_words(driver: Driver) -> None:
    session = driver.open("permission")
    turn = driver.done(session, driver.prompt(session, can_ask=False))
    assert turn.failure is not None
    assert turn.failure.reason == "nobody_to_ask"
    assert "Nobody could be asked" in turn.failure.message
    assert not (driver.root / "edited.txt").exists()
    driver.run(session.attach)
    driver.prompt(session, can_ask=False)
    driver.asked(session)


def test_several_questions_wait_side_by_side(driver: Driver) -> None:
    session = driver.open("two_permissions")
    turn_id = driver.prompt(session)
    eventually(lambda: session.state.waiting == 2)
    for request in tuple(session.transcript.request_items):
        driver.answer(session, request, None)
    driver.done(session, turn_id)


def test_a_question_does_not_outlive_its_turn(driver: Driver) -> None:
    session = driver.open("permission_outlived")
    driver.done(session, driver.prompt(session))
    eventually(lambda: session.state.waiting == 0)
    call = next(item for item in session.transcript.items if isinstance(item, ToolCall))
    assert call.permission is not None
    assert call.permission.state == "cancelled"


def test_a_second_prompt_waits_for_the_first(driver: Driver) -> None:
    session = driver.open("hello")
    turns = [driver.prompt(session, f"number {n}") for n in range(3)]
    ends = [driver.done(session, turn_id).ended_at for turn_id in turns]
    assert ends == sorted(ends, key=lambda end: end or 0)


def test_an_empty_prompt_is_refused(driver: Driver) -> None:
    session = driver.open("hello")
    with pytest.raises(EmptyPrompt):
        driver.prompt(session, "  \n")


def test_stop_ends_a_streaming_turn(driver: Driver) -> None:
    session = driver.open("slow_stream")
    turn_id = driver.prompt(session)
    eventually(lambda: driver.text(session))
    driver.run(lambda: session.cancel(turn_id))
    assert driver.done(session, turn_id).stop_reason == "cancelled"


def test_stop_answers_open_questions_cancelled(driver: Driver) -> None:
    session = driver.open("permission")
    turn_id = driver.prompt(session)
    request = driver.asked(session)
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    call = session.transcript.items[-2]
    assert isinstance(call, ToolCall)
    assert call.permission is not None
    assert call.permission.outcome == "Not answered: turn stopped"
    with pytest.raises(PermissionSettled):
        driver.run(lambda: session.turns.permissions.answer(request, "yes"))


def test_a_stop_comes_before_an_answer_that_still_waits_for_the_log(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_jupyter.host.requests.permissions._LOG_SECONDS", FOREVER_SECONDS)
    session = driver.open("permission")
    with failing_disk("acp_jupyter.host.store.traffic_log") as disk:
        turn_id = driver.prompt(session)
        request = driver.asked(session)
        assert session.journal.flush()
        disk.answers.clear()
        driver.answer(session, request, "yes")
        driver.run(session.cancel)
        disk.answers.set()
        assert driver.done(session, turn_id).stop_reason == "cancelled"
        assert session.journal.flush()
    lines = session.journal.log.path.read_text().splitlines()
    assert ['"cancelled"' in line for line in lines if '"outcome":{' in line] == [True]
    assert not (driver.root / "edited.txt").exists()


def test_each_question_ends_with_its_agent(driver: Driver) -> None:
    session = driver.open("two_permissions")
    driver.prompt(session)
    eventually(lambda: session.state.waiting == 2)
    agents = [p for p in _left(driver.root.parent) if "supervise" not in " ".join(_cmd(p))]
    for agent in agents:
        agent.kill()
    eventually(lambda: session.state.waiting == 0)
    eventually(lambda: session.journal.flush() and _settled(session) == 2, what="both are settled")


def _settled(session: Session) -> int:
    return session.journal.log.path.read_text().count('"permission_settled"')


def test_a_queued_prompt_is_taken_back_alone(driver: Driver) -> None:
    session = driver.open("slow_stream")
    first = driver.prompt(session)
    second = driver.prompt(session)
    driver.run(lambda: session.cancel(second))
    assert driver.done(session, second).stop_reason == "cancelled"
    assert session.transcript.turns[first].status != "done"
    driver.run(session.cancel)


def test_stop_while_the_agent_starts(driver: Driver) -> None:
    session = driver.open("never_initialize")
    turn_id = driver.prompt(session)
    eventually(lambda: session.state.active_turn_id)
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"


def test_an_agent_that_does_not_stop_is_ended(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = watch_sent(monkeypatch)
    session = driver.open("deaf")
    turn_id = driver.prompt(session)
    # A turn that is stopped before that has nothing to end.
    eventually(lambda: "session/prompt" in [method for method, _ in sent.calls])
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    eventually(lambda: session.state.status == "stopped")


@pytest.mark.parametrize(
    ("agent", "limits", "words"),
    [
        ("exits_at_once", LIMITS, "before it answered initialize"),
        (
            "never_initialize",
            dataclasses.replace(LIMITS, initialize_seconds=0.5),
            "did not answer initialize within 0.5 s",
        ),
        (
            "never_new_session",
            dataclasses.replace(LIMITS, session_new_seconds=0.5),
            "did not answer session/new within 0.5 s",
        ),
        ("no_such_command", LIMITS, "no-such-command-anywhere"),
    ],
)
def test_an_agent_that_does_not_start_says_why(
    tmp_path: Path, agent: str, limits: Limits, words: str
) -> None:
    with driving(tmp_path, AGENTS, limits) as driver:
        session = driver.open(agent)
        turn = driver.done(session, driver.prompt(session))
        assert turn.failure is not None
        assert words in turn.failure.message + turn.failure.detail
        again = driver.done(session, driver.prompt(session))
        assert again.failure is not None
    eventually(lambda: not _left(tmp_path), "agents are left")


def test_an_unknown_agent_is_named(driver: Driver) -> None:
    with pytest.raises(UnknownAgent, match="nobody"):
        driver.open("nobody")


def test_death_in_mid_turn_is_told_and_the_next_prompt_works(driver: Driver) -> None:
    session = driver.open("demo")
    turn_id = driver.prompt(session, "slow rate=20")
    eventually(lambda: driver.text(session))
    agent = next(
        p
        for p in psutil.Process().children(recursive=True)
        if "acp_jupyter.agents.demo" in _cmd(p)
        and "acp_jupyter.system.processes.supervise" not in _cmd(p)
    )
    agent.send_signal(signal.SIGKILL)
    turn = driver.done(session, turn_id)
    assert turn.failure is not None
    assert "killed by signal 9" in turn.failure.message
    again = driver.done(session, driver.prompt(session, "what can you do"))
    assert again.stop_reason == "end_turn"
    notices = [i.text for i in session.transcript.items if i.kind == "notice"]
    assert notices == [
        "The agent was started again without history: it does not remember what is above."
    ]


def test_a_question_of_a_dead_process_is_gone(driver: Driver) -> None:
    session = driver.open("demo")
    (driver.root / "a.py").write_text("def f(xs):\n    return xs\n")
    driver.prompt(session, "edit a.py")
    request = driver.asked(session)
    for process in psutil.Process().children(recursive=True):
        if "acp_jupyter.agents.demo" in _cmd(process):
            process.kill()
    eventually(lambda: session.state.waiting == 0)
    with pytest.raises(PermissionGone):
        driver.run(lambda: session.turns.permissions.answer(request, "once"))


def test_an_answer_between_a_death_and_its_wake_is_too_late(driver: Driver) -> None:
    """The end is told first; who waits for the answer hears of it a moment later."""
    session = driver.open("demo")
    (driver.root / "a.py").write_text("def f(xs):\n    return xs\n")
    driver.prompt(session, "edit a.py")
    request = driver.asked(session)

    def answer_the_dead() -> str:
        session.journal.note(AgentExited(words="It was killed."))
        return session.turns.permissions.answer(request, "once")

    with pytest.raises(PermissionGone):
        driver.run(answer_the_dead)


def test_a_flood_is_taken_in(driver: Driver) -> None:
    session = driver.open("flood")
    turn = driver.done(session, driver.prompt(session))
    assert turn.stop_reason == "end_turn"


@pytest.mark.parametrize("agent", ["garbage", "weird_ids", "dialects", "open_calls"])
def test_odd_agents_end_their_turns(driver: Driver, agent: str) -> None:
    session = driver.open(agent)
    turn_id = driver.prompt(session)

    def answered_to_the_end() -> bool:
        driver.answer_open(session, None)
        return session.transcript.turns[turn_id].status == "done"

    def nothing_is_open() -> bool:
        calls = (item for item in session.transcript.items if isinstance(item, ToolCall))
        return not any(call.status in {"pending", "in_progress"} for call in calls)

    eventually(answered_to_the_end)
    # A command that was started without waiting for it may end after the turn.
    eventually(nothing_is_open, what="no tool call is open")


def test_secrets_do_not_reach_the_log(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-1234567890")
    session = driver.open("env_dump")
    driver.done(session, driver.prompt(session))
    assert '"SOME_API_KEY": "[redacted]"' in driver.text(session)
    driver.result(driver.host.sessions.close(session.session_id))
    logged = driver.host.traffic_path(session.session_id).read_text()
    assert "SOME_API_KEY" in logged
    assert "canary-1234567890" not in logged


def test_a_stopped_host_takes_nothing_and_leaves_no_process(tmp_path: Path) -> None:
    host = AgentHost(
        HostConfig(Registry({}, []), tmp_path, tmp_path / "data", trust=trusting(tmp_path))
    )
    host.start()
    driver = Driver(host, tmp_path)
    session = driver.open("demo")
    driver.prompt(session, "slow rate=20")
    eventually(lambda: driver.text(session))
    host.stop()
    children = [p for p in psutil.Process().children(recursive=True) if _cmd(p)]
    assert [p for p in children if "acp_jupyter.agents.demo" in _cmd(p)] == []
    with pytest.raises(HostClosed):
        host.submit(session.start())


def test_limits_are_all_named_with_a_unit_or_a_count() -> None:
    names = {field.name for field in dataclasses.fields(Limits)}
    assert all(
        "_" in name or name in {"imports", "sessions", "terminals", "variants"} for name in names
    )
