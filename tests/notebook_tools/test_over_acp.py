"""The notebook tools over ACP: no relay, the same tools, permissions and bounds."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import jsonschema
import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.notebook_tools import mcp_endpoint
from acp_jupyter.notebook_tools.mcp_endpoint import ToolsOverAcp
from acp_jupyter.notebook_tools.tools import TOOLS
from acp_jupyter.protocol.objects import Obj, obj
from tests.conformance.shapes import DEFINITIONS
from tests.notebook_tools.in_process import KERNEL, Dictionary, host_with_tools, write_notebook
from tests.notebook_tools.talk import answers, calls_of, play, start, using
from tests.support.agents.remote import remote, serving
from tests.support.host.driver import Driver
from tests.support.processes import family
from tests.support.wait import eventually

if TYPE_CHECKING:
    from acp_jupyter.notebook_tools.session_tools import SessionTools


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """Import what a first request would wait for, which takes long on a busy machine."""
    importlib.import_module("acp_jupyter.notebook_tools.mcp_server")


@pytest.fixture
def session(driver: Driver, path: Path) -> Session:
    return opened(driver)


def opened(driver: Driver) -> Session:
    session = driver.open("asks_mcp", notebook_path="work/n.ipynb", kernel_id=KERNEL)
    driver.run(session.attach)
    return session


def test_the_same_tools_without_a_relay(driver: Driver, path: Path) -> None:
    """The server is declared by its name and an id; no process is started for it."""
    before = family(os.getpid())
    session = opened(driver)
    driver.done(session, driver.prompt(session, "servers"))
    (server,) = json.loads(driver.text(session))
    assert set(server) == {"type", "name", "serverId"}
    assert (server["type"], server["name"]) == ("acp", "notebook")
    running = [each for pid, each in family(os.getpid()).items() if pid not in before]
    assert any("fake_agent.py asks_mcp" in command for command in running)
    assert not any("socket_relay" in command for command in running)


def test_tools_are_listed_and_used(driver: Driver, session: Session, kernel: Dictionary) -> None:
    listed, found, ran = play(
        driver,
        session,
        {"method": "tools/list"},
        {"method": "server/discover"},
        using("run_code", {"code": "print(6 * 7)\nplot()"}),
        policy="allow-all",
    )
    assert [tool["name"] for tool in listed["result"]["tools"]] == list(TOOLS)
    assert "2026-07-28" in found["result"]["supportedVersions"]
    assert (ran["failed"], ran["images"]) == (False, ["image/png"])
    assert "42" in ran["text"]
    assert kernel.ran == ["print(6 * 7)\nplot()"]


def test_what_changes_something_is_asked_first(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    turn_id = start(driver, session, using("run_code", {"code": "x = 1"}))
    request_id = driver.asked(session)
    assert kernel.ran == []
    driver.answer_open(session, None)
    (ran,) = answers(driver, session, turn_id)
    assert ran["failed"] is True
    assert (kernel.ran, request_id != "") == ([], True)
    assert [call.status for call in calls_of(session)] == ["failed"]


def taken_back(
    driver: Driver, session: Session, kernel: Dictionary, pipe: Path, **more: bool
) -> list[dict[str, Any]]:
    """Take a request back once its code runs, and wait for that code's end."""
    os.mkfifo(pipe)
    step = using("run_code", {"code": "wait"}, cancel=str(pipe), **more)
    turn_id = start(driver, session, step, policy="allow-all")
    eventually(lambda: kernel.ran == ["wait"])
    pipe.write_text("go")
    told = answers(driver, session, turn_id)
    eventually(lambda: kernel.interrupted == 1)
    assert kernel.ran == ["wait"]
    return told


def test_a_request_that_is_taken_back_ends_its_code(
    driver: Driver, session: Session, kernel: Dictionary, tmp_path: Path
) -> None:
    (told,) = taken_back(driver, session, kernel, tmp_path / "pipe")
    assert told["refused"]["code"] == -32800


@pytest.mark.parametrize(
    ("step", "outcome"),
    [
        ({"method": "tools/list", "server": "another"}, {"refused": -33001}),
        ({"method": "tools/list", "id": 5}, {"refused": -32602}),
        ({"method": "tools/list", "bare": True}, {"error": -32602}),
        ({"method": "initialize"}, {"error": -32601}),
        ({"method": "no/such"}, {"error": -32601}),
        (using("list_cells", {"start": "x" * 9_000_000}), {"refused": -32602}),
    ],
)
def test_bad_requests_are_refused_and_the_next_is_answered(
    driver: Driver, session: Session, step: Obj, outcome: dict[str, int]
) -> None:
    refused, listed = play(driver, session, step, {"method": "tools/list"})
    ((how, error),) = refused.items()
    assert {how: error["code"]} == outcome
    assert listed["result"]["tools"]


def test_a_request_that_is_open_is_not_sent_again(
    driver: Driver, session: Session, kernel: Dictionary, tmp_path: Path
) -> None:
    again, ended = taken_back(driver, session, kernel, tmp_path / "pipe", twice=True)
    assert again["refused"] == {"code": -32602, "message": "This MCP request is open already"}
    assert ended["refused"]["code"] == -32800


def test_what_wants_no_answer_does_nothing(
    driver: Driver, session: Session, kernel: Dictionary
) -> None:
    step = using("run_code", {"code": "x = 1"}, notify=True)
    (listed,) = play(driver, session, step, {"method": "tools/list"}, policy="allow-all")
    assert listed["result"]["tools"]
    assert kernel.ran == []


def test_a_call_that_takes_long_tells_that_it_goes_on(driver: Driver, session: Session) -> None:
    """As the schema has it."""
    step = using("run_code", {"code": "wait"}, progress=True, cancel=True)
    told, ended = play(driver, session, step, policy="allow-all")
    assert (told["method"], "id" in told) == ("mcp/message", False)
    schema = {"$ref": "#/$defs/MessageMcpNotification", "$defs": DEFINITIONS}
    jsonschema.Draft202012Validator(schema).validate(told["params"])
    assert told["params"]["requestId"] == "inner-0"
    assert told["params"]["method"] == "notifications/progress"
    assert told["params"]["params"]["progressToken"] == "inner-0"
    assert ended["refused"]["code"] == -32800


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_an_agent_elsewhere_has_the_tools(tmp_path: Path, kernel: Dictionary, scheme: str) -> None:
    """And nothing is said to be out of its reach."""
    with (
        serving("asks_mcp") as port,
        host_with_tools(tmp_path, kernel, far=remote(scheme, port)) as driver,
    ):
        write_notebook(driver.root / "n.ipynb", "a = 1")
        session = driver.open("far", notebook_path="work/n.ipynb", kernel_id=KERNEL)
        driver.run(session.attach)
        steps = ({"method": "tools/list"}, using("run_code", {"code": "print(6 * 7)"}))
        listed, ran = play(driver, session, *steps, policy="allow-all")
        assert [tool["name"] for tool in listed["result"]["tools"]] == list(TOOLS)
        assert "42" in ran["text"]
        state = session.transcript
        assert not [item for item in state.items if item.kind == "notice"]


@pytest.mark.parametrize(("room", "code"), [(0, -32602), (-1, -32600)])
def test_a_request_may_be_as_long_as_a_line(
    monkeypatch: pytest.MonkeyPatch, room: int, code: int
) -> None:
    async def pass_over(_method: str, _params: Mapping[str, Any]) -> None:
        pass

    request: Obj = {"method": "no/such"}
    monkeypatch.setattr(mcp_endpoint, "_LINE_BYTES", len(json.dumps(request)) + room)
    tools = ToolsOverAcp(cast("SessionTools", None))
    error = asyncio.run(tools.answer(request, pass_over))["error"]
    assert obj(error)["code"] == code
