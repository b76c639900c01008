"""The table of commands: rows fit their handlers, and routes are read in both directions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from pydantic_core import from_json

from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.api.models.command_row import CommandRow
from acp_jupyter.api.models.command_table import COMMANDS, request_of, row_of
from acp_jupyter.api.models.sessions import CloseSession, CreateSession
from acp_jupyter.api.models.traffic import GetTraffic, GetTranscript, ImportLog
from acp_jupyter.api.models.turns import GetTurn, ListChangingSessions, PromptSession
from acp_jupyter.errors import NotAllowed
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.server.handlers import ROUTES, build_command
from tests.support.host.commands import CommandSender, example

FIELDS = {"session": "session_id", "turn": "turn_id", "notebook": "notebook_path"}

REQUESTS: list[tuple[Any, tuple[str, str, bytes]]] = [
    (CloseSession(session_id="a b/ä?"), ("POST", "sessions/a%20b%2F%C3%A4%3F/close", b"")),
    (CreateSession(agent="demo"), ("POST", "sessions", b'{"agent":"demo"}')),
    (
        PromptSession(session_id="s", prompt="Hi"),
        (
            "POST",
            "sessions/s/prompt",
            b'{"prompt":"Hi","can_ask":true,"allow":[],"deny":[],"limit":"","unpinned":[]}',
        ),
    ),
    (GetTurn(turn_id="t", wait_seconds=2), ("GET", "turns/t?wait=2.0", b"")),
    (
        GetTranscript(session_id="s"),
        ("GET", "sessions/s/transcript?format=json&thoughts=False", b""),
    ),
    (GetTraffic(session_id="s"), ("GET", "sessions/s/traffic-lines", b"")),
    (
        GetTraffic(session_id="s", after=0, direction="<"),
        ("GET", "sessions/s/traffic-lines?after=0&direction=%3C", b""),
    ),
    (ImportLog(content=b"x\xff", log_session="l"), ("POST", "import?name=log&session=l", b"x\xff")),
]


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[CommandSender]:
    root = tmp_path / "ws"
    root.mkdir()
    host = AgentHost(
        HostConfig(Registry({"absent": {"command": "/absent"}}, []), root, tmp_path / "data")
    )
    host.start()
    yield CommandSender(host, root)
    host.stop()


@pytest.mark.parametrize(("command", "request_"), REQUESTS)
def test_a_kernels_request(command: Any, request_: tuple[str, str, bytes]) -> None:
    assert request_of(command) == request_


def test_what_has_no_route_can_not_be_requested() -> None:
    with pytest.raises(TypeError):
        request_of(ListChangingSessions(path="a.py"))


def test_what_has_no_result_is_read_as_nothing() -> None:
    assert row_of(CloseSession(session_id="s")).read_result({}) is None


def test_the_server_reads_what_a_kernel_requests(sender: CommandSender) -> None:
    session = sender.make(UserCaller("ada"), agent="absent", ask_trust=True)
    for row in (row for row in COMMANDS if row.route is not None):
        command = example(row.name, session, "turn/1")
        assert _read(row, *request_of(command)) == command


def _read(row: CommandRow, method: str, target: str, body: bytes) -> Any:
    assert row.route is not None
    assert ROUTES[row.route.path][method] is row
    url = urlsplit(target)
    parts = zip(row.route.path.split("/"), url.path.split("/"), strict=True)
    path = {name[1:-1]: unquote(value) for name, value in parts if name.startswith("{")}
    carried = body if row.route.raw_body else from_json(body) if body else None
    return build_command(row, path, dict(parse_qsl(url.query)), carried)


def test_handlers_that_need_a_user_are_of_rows_for_users(sender: CommandSender) -> None:
    for row in COMMANDS:
        handler = sender.dispatcher.handlers[row.model]
        told = get_type_hints(handler)
        assert told["command"] is row.model
        assert (told["caller"] is UserCaller) == bool(row.only_user), row.name


def test_rows_wake_what_their_commands_name() -> None:
    for row in COMMANDS:
        if row.wakes is not None:
            assert FIELDS[row.wakes] in row.model.model_fields, row.name


def test_a_kernel_that_may_not_opens_nothing(sender: CommandSender, monkeypatch: Any) -> None:
    woken: list[str] = []

    async def wake(session_id: str) -> None:
        woken.append(session_id)

    monkeypatch.setattr(sender.host.sessions, "wake", wake)
    with pytest.raises(NotAllowed):
        sender.send(KernelCaller("k", "book.ipynb"), "delete_session", session_id="s")
    assert not woken
