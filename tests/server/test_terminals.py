"""A command in a terminal: followed, and ended by its user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.agents.terminal_steps import ask, call, create, steps, update
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.routes import finished, open_session, start_turn
from tests.support.wait import eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    agents = fake_agents("terminal_script")
    with JupyterServer(tmp_path_factory.mktemp("terminals"), agents=agents) as server:
        yield server


@pytest.fixture
def session_id(user: httpx.Client) -> Iterator[str]:
    session_id = open_session(user, "terminal_script", policy="allow-all")
    yield session_id
    user.delete(f"sessions/{session_id}").raise_for_status()


def card(client: httpx.Client, session_id: str) -> dict[str, Any]:
    page = client.get(f"sessions/{session_id}/items", params={"start": 0, "end": 500}).json()
    return next((item for item in page["items"] if item["kind"] == "tool_call"), {})


def running(client: httpx.Client, session_id: str) -> str:
    """Start a command that does not end by itself; return its terminal's id."""
    made = steps(
        create("echo started; sleep 600"),
        call(),
        ask("wait_for_exit"),
        ask("output"),
        update(status="failed"),
    )
    start_turn(client, session_id, made)
    eventually(lambda: card(client, session_id).get("output") == "started\n")
    shown = card(client, session_id)["terminal"]
    assert (shown["running"], shown["own"]) == (True, True)
    return str(shown["terminal_id"])


def test_a_user_ends_a_command_and_the_turn_goes_on(user: httpx.Client, session_id: str) -> None:
    terminal_id = running(user, session_id)
    answer = user.post(f"sessions/{session_id}/terminals/{terminal_id}/kill")
    assert (answer.status_code, answer.json()) == (200, {})
    turn_id = card(user, session_id)["turn_id"]
    detail = finished(user, turn_id)
    said = next(item["text"] for item in detail["items"] if item["kind"] == "agent_message")
    assert '"signal": "SIGTERM"' in said
    shown = card(user, session_id)
    assert (shown["terminal"]["by"], shown["output"]) == ("user", "started\n")


def test_a_terminal_that_is_not_there_is_told_so(user: httpx.Client, session_id: str) -> None:
    answer = user.post(f"sessions/{session_id}/terminals/nothing/kill")
    assert (answer.status_code, answer.json()["reason"]) == (404, "unknown_terminal")


def test_a_kernel_ends_no_command_of_a_session_that_it_does_not_see(
    server: JupyterServer, user: httpx.Client, session_id: str
) -> None:
    kernel: KernelSide = server.start_kernel("kernels/foreign.ipynb")
    terminal_id = running(user, session_id)
    answer = kernel.request("POST", f"sessions/{session_id}/terminals/{terminal_id}/kill")
    assert (answer.status_code, answer.json()["reason"]) == (404, "unknown_session")
    assert card(user, session_id)["terminal"]["running"]
    user.post(f"sessions/{session_id}/cancel", json={}).raise_for_status()


def test_a_written_out_session_shows_its_terminals(user: httpx.Client, session_id: str) -> None:
    made = steps(create("echo one"), call(), ask("wait_for_exit"), ask("release"))
    finished(user, start_turn(user, session_id, made))
    shown = card(user, session_id)
    assert (shown["output"], shown["exit_code"]) == ("one\n", 0)
    path = f"sessions/{session_id}/transcript"
    written = user.get(path, params={"format": "markdown"}).json()["markdown"]
    assert "```\none\n```" in written
