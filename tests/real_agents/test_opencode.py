"""A published agent, end to end but for its model: first in the host, then behind the server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from acp_jupyter.host.host import AgentHost, HostConfig
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.session import Session
from acp_jupyter.transcript.items import ToolCall
from tests.support.driver import Driver
from tests.support.mockllm import FakeModel
from tests.support.opencode import opencode, processes_of
from tests.support.server import JupyterServer
from tests.support.trusting import trusting
from tests.support.wait import eventually

pytestmark = [pytest.mark.agents, pytest.mark.timeout(90)]


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModel]:
    with FakeModel() as running:
        yield running


@contextmanager
def host_of_opencode(folder: Path, model: FakeModel) -> Iterator[Driver]:
    home = folder / "home"
    registry = Registry({"opencode": opencode(home, model.url)}, [])
    host = AgentHost(HostConfig(registry, folder, folder / "data", trust=trusting(folder)))
    host.start()
    try:
        yield Driver(host, folder)
    finally:
        host.stop()
    eventually(lambda: not processes_of(home), 5, "processes of the agent are left")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory, model: FakeModel) -> Iterator[Driver]:
    with host_of_opencode(tmp_path_factory.mktemp("host"), model) as driver:
        yield driver


@pytest.fixture(scope="module")
def session(driver: Driver) -> Session:
    """One process for most tests: it takes seconds to start."""
    return driver.open("opencode")


def ask(driver: Driver, session: Session, scenario: str) -> str:
    return driver.prompt(session, f"[[mock scenario={scenario} cwd={driver.root}]] Do it.")


def said(session: Session, turn_id: str) -> str:
    items = session.transcript.turn_items(turn_id)
    return "".join(item.text for item in items if item.kind == "agent_message")


def only_call(session: Session, turn_id: str) -> ToolCall:
    (call,) = (i for i in session.transcript.turn_items(turn_id) if i.kind == "tool_call")
    return call


def test_a_file_is_written_after_it_was_allowed(driver: Driver, session: Session) -> None:
    turn_id = ask(driver, session, "write_file file=new.py")
    request = driver.asked(session)
    call = only_call(session, turn_id)
    assert call.permission is not None
    assert call.permission.title == "OpenCode wants to create a file"
    assert [diff.path for diff in call.diffs] == ["new.py"]
    file = driver.root / "new.py"
    assert not file.exists()
    driver.run(lambda: session.answer(request, "once"))
    assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert "hello" in file.read_text()
    call = only_call(session, turn_id)
    assert (call.title, call.description, call.status) == ("Writing file", "new.py", "completed")
    assert call.permission is not None
    assert call.permission.outcome == "Allowed once"
    assert said(session, turn_id).endswith("All done: **finished** the task.")


def test_a_file_is_edited_after_it_was_allowed(driver: Driver, session: Session) -> None:
    file = driver.root / "old.py"
    file.write_text("print('hello')\n")
    turn_id = ask(driver, session, "edit_file file=old.py")
    request = driver.asked(session)
    assert "hello" in file.read_text()
    driver.run(lambda: session.answer(request, "once"))
    driver.done(session, turn_id)
    assert file.read_text() == "print('goodbye')\n"
    *_, call = (i for i in session.transcript.turn_items(turn_id) if i.kind == "tool_call")
    (diff,) = call.diffs
    assert (diff.path, diff.added, diff.removed) == ("old.py", 1, 1)


def test_a_command_runs_after_it_was_allowed(driver: Driver, session: Session) -> None:
    turn_id = ask(driver, session, "run_command")
    request = driver.asked(session)
    driver.run(lambda: session.answer(request, "once"))
    driver.done(session, turn_id)
    call = only_call(session, turn_id)
    assert (call.title, call.command) == ("Running command", "echo out; exit 3")
    assert (call.output, call.exit_code) == ("out\n", 3)


@pytest.mark.parametrize("scenario", ["write_file", "touch"])
def test_what_was_rejected_is_not_done(driver: Driver, session: Session, scenario: str) -> None:
    turn_id = ask(driver, session, f"{scenario} file={scenario}.no")
    request = driver.asked(session)
    assert driver.run(lambda: session.answer(request, "reject")) == "Reject"
    driver.done(session, turn_id)
    call = only_call(session, turn_id)
    assert call.status == "failed"
    assert call.permission is not None
    assert call.permission.state == "rejected"
    assert not (driver.root / f"{scenario}.no").exists()


def test_stop_ends_the_stream_and_the_next_prompt_works(driver: Driver, session: Session) -> None:
    turn_id = ask(driver, session, "count chunks=2000 rate=20")
    eventually(lambda: "w5" in said(session, turn_id))
    stopped = time.monotonic()
    driver.run(lambda: session.cancel(turn_id))
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    assert time.monotonic() - stopped < 1
    turn_id = ask(driver, session, "hello")
    assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert "Some **Markdown**" in said(session, turn_id)


def test_stop_while_it_asks_cancels_the_question(driver: Driver, session: Session) -> None:
    turn_id = ask(driver, session, "touch file=touched.txt")
    driver.asked(session)
    driver.run(lambda: session.cancel(turn_id))
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    assert session.state.waiting == 0
    assert not (driver.root / "touched.txt").exists()
    assert driver.done(session, ask(driver, session, "hello")).stop_reason == "end_turn"


def test_no_text_is_lost_at_the_end_of_a_turn(driver: Driver, session: Session) -> None:
    """opencode may send its last text after the response to the prompt."""
    expected = "".join(f"w{n} " for n in range(1000))
    for turn_id in [ask(driver, session, "count chunks=1000") for _ in range(3)]:
        driver.done(session, turn_id)
        assert said(session, turn_id) == expected


def test_queued_prompts_are_answered_one_after_the_other(driver: Driver, session: Session) -> None:
    turns = [ask(driver, session, "count chunks=30 rate=100"), ask(driver, session, "hello")]
    first, second = (driver.done(session, turn_id) for turn_id in turns)
    assert first.ended_at is not None
    assert second.started_at is not None
    assert first.ended_at <= second.started_at
    assert said(session, turns[1]) == "# Hello\n\nSome **Markdown**.\n\n- one\n- two\n"


def test_an_error_of_its_provider_ends_the_turn_in_words(driver: Driver, session: Session) -> None:
    turn = driver.done(session, ask(driver, session, "error"))
    assert turn.failure is not None
    assert "mock error" in turn.failure.message
    assert driver.done(session, ask(driver, session, "hello")).stop_reason == "end_turn"


def test_a_killed_agent_leaves_nothing_and_the_next_prompt_works(
    tmp_path: Path, model: FakeModel
) -> None:
    home = tmp_path / "home"
    with host_of_opencode(tmp_path, model) as driver:
        session = driver.open("opencode")
        turn_id = ask(driver, session, "sleep_command")
        request = driver.asked(session)
        driver.run(lambda: session.answer(request, "once"))
        eventually(lambda: "tick" in only_call(session, turn_id).output)
        names = {process.name(): process for process in processes_of(home)}
        assert "sleep" in names
        killed = time.monotonic()
        names["opencode"].kill()
        turn = driver.done(session, turn_id)
        assert time.monotonic() - killed < 1
        assert turn.failure is not None
        assert "killed by signal 9" in turn.failure.message
        assert only_call(session, turn_id).status == "cancelled"
        eventually(lambda: not processes_of(home), 5, "processes of the agent are left")
        turn_id = ask(driver, session, "hello")
        assert driver.done(session, turn_id, 30).stop_reason == "end_turn"


def test_the_journey_through_the_server(tmp_path: Path, model: FakeModel) -> None:
    """Prompt, question, answer and end over HTTP; then the server is killed."""
    home = tmp_path / "home"
    agents = {"opencode": opencode(home, model.url)}
    with JupyterServer(tmp_path / "server", agents=agents) as server, server.browser() as user:
        user.headers["X-XSRFToken"] = user.cookies["_xsrf"]
        session = user.post("sessions", json={"agent": "opencode"}).raise_for_status().json()
        folder = Path(session["cwd"])
        url = f"sessions/{session['session_id']}"
        turn_id = _prompt(
            user, url, f"[[mock scenario=touch file=touched.txt cwd={folder}]] Do it."
        )
        request_id = eventually(lambda: _open_request(user, url), 20)
        assert not (folder / "touched.txt").exists()
        answer = user.post(f"{url}/permissions/{request_id}", json={"option_id": "once"})
        assert answer.raise_for_status().json()["outcome"] == "Allow once"
        turn = user.get(f"turns/{turn_id}", params={"wait": 20}).raise_for_status().json()["turn"]
        assert (turn["status"], turn["stop_reason"]) == ("done", "end_turn")
        assert (folder / "touched.txt").exists()
        again = user.post(f"{url}/permissions/{request_id}", json={"option_id": "once"})
        assert again.status_code == 409
        _prompt(user, url, f"[[mock scenario=sleep_command cwd={folder}]] Do it.")
        request_id = eventually(lambda: _open_request(user, url), 20)
        user.post(f"{url}/permissions/{request_id}", json={"option_id": "once"})
        eventually(lambda: any(process.name() == "sleep" for process in processes_of(home)))
        server.kill()
        eventually(lambda: not processes_of(home), 10, "the agent outlives its server")


def _prompt(user: httpx.Client, url: str, text: str) -> str:
    answer = user.post(f"{url}/prompt", json={"prompt": text})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["turn_id"])


def _open_request(user: httpx.Client, url: str) -> str:
    items: list[dict[str, Any]] = (
        user.get(f"{url}/items", params={"start": 0, "end": 100}).raise_for_status().json()["items"]
    )
    asked = [item["permission"] for item in items if item.get("permission")]
    return next((str(p["request_id"]) for p in asked if p["state"] == "pending"), "")
