"""What answers or allows something comes from a page's own connection, or from a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection

from acp_jupyter.api.models.command_table import COMMANDS
from acp_jupyter.server.page_keys import PageKeys
from tests.support.features import tables
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.page import AS_A_PAGE, command_over, page_key
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import PATIENCE_SECONDS

GRANTING = {
    "allow_download": {"package": "a@1"},
    "answer_elicitation": {"action": "cancel"},
    "answer_permission": {"option_id": "yes"},
    "edit_queued": {"prompt": "other words"},
    "login": {"method_id": "a"},
    "revoke_rule": {},
    "run_outside": {"tool_call_id": "c"},
    "trust_folder": {"folder": "."},
    **tables("GRANTING"),
}
"""The commands that always answer or allow something, with a body of each."""

WITH_FIELDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sessions", {"agent": "hello", "trust": True}),
    ("sessions", {"agent": "hello", "policy": "allow-all"}),
    ("sessions", {"agent": "hello", "mode": "yolo"}),
    ("agents/hello/sessions", {"agent_session_id": "a", "trust": True}),
    ("sessions/{session}/config", {"policy": "allow-all"}),
    ("sessions/{session}/config", {"mode": "yolo"}),
    ("sessions/{session}/config", {"config": {"mode": "yolo"}}),
    ("sessions/{session}/prompt", {"prompt": "hello", "policy": "allow-all"}),
    ("sessions/{session}/prompt", {"prompt": "hello", "allow": ["edit *"]}),
    *tables("ALLOWING_FIELDS").items(),
)
"""Commands that allow something by one of their fields: path, and body."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("presses")
    with JupyterServer(
        folder, app="jupyterlab", agents=fake_agents("permission", "hello")
    ) as server:
        yield server


@pytest.fixture
def page(server: JupyterServer) -> Iterator[httpx.Client]:
    """What a script in a page can send: the cookie, the XSRF token, the page's origin."""
    with server.browser() as page:
        page.headers.update({"X-XSRFToken": page.cookies["_xsrf"], "Origin": server.origin})
        yield page


@pytest.fixture
def session_id(server: JupyterServer) -> Iterator[str]:
    with server.user() as user:
        session_id = open_session(user, "permission")
        yield session_id
        user.delete(f"sessions/{session_id}").raise_for_status()


def test_no_granting_command_is_missing() -> None:
    assert {row.name for row in COMMANDS if row.grants} == set(GRANTING)


def refused(answer: httpx.Response) -> bool:
    return answer.status_code == 403 and "A cookie does not count" in answer.json()["message"]


@pytest.mark.parametrize("name", GRANTING)
def test_no_route_takes_an_answer_by_a_cookie(
    server: JupyterServer, page: httpx.Client, name: str
) -> None:
    route = next(row.route for row in COMMANDS if row.name == name)
    assert route is not None
    path = route.path.format_map(dict.fromkeys(route.path_fields, "x"))
    body = GRANTING[name]

    def send(client: httpx.Client, **headers: str) -> httpx.Response:
        return client.request(route.method, path, json=body, headers=headers)

    token = {"Authorization": f"token {server.token}"}
    assert refused(send(page))
    assert refused(send(page, **token)), "the token is in the page, too"
    assert refused(send(page, **{"Sec-Fetch-Site": "same-origin"}))
    del page.headers["Origin"]
    assert refused(send(page)), "a program that has stolen the cookie"
    assert refused(send(page, Authorization="token nonsense"))
    assert refused(send(page, **token, **{"Sec-Fetch-Site": "same-origin"}))
    assert not refused(send(page, **token)), "a program"


@pytest.mark.parametrize(("path", "body"), WITH_FIELDS, ids=str)
def test_no_field_allows_something_by_a_cookie(
    server: JupyterServer, page: httpx.Client, session_id: str, path: str, body: dict[str, Any]
) -> None:
    text = json.dumps(body).replace("{session}", session_id)
    answer = page.post(path.format(session=session_id), content=text)
    assert refused(answer), answer.text
    with server.user() as user:
        answer = user.post(path.format(session=session_id), content=text)
        assert not refused(answer)
        if path == "sessions" and answer.is_success:
            user.delete(f"sessions/{answer.json()['session_id']}").raise_for_status()
        user.post(f"sessions/{session_id}/cancel", json={}).raise_for_status()


# -- over the WebSocket -----------------------------------------------------------------


@pytest.fixture
def question(server: JupyterServer, session_id: str) -> tuple[str, dict[str, Any]]:
    """A turn that asks, and the command that allows it."""
    with server.user() as user:
        turn_id = start_turn(user, session_id, "new words")
        request_id = pending(user, session_id)["request_id"]
    answer = {"name": "answer_permission", "session_id": session_id, "request_id": request_id}
    return turn_id, {**answer, "option_id": "yes"}


def prove(stream: ClientConnection, key: str) -> None:
    stream.send(json.dumps({"type": "proof", "key": key}))


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin"}, "a script has fetched it"),
        ({"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "same-origin"}, "it is in a frame of ours"),
        ({"Sec-Fetch-Dest": "object", "Sec-Fetch-Site": "cross-site"}, "it is no page"),
    ],
)
def test_what_a_script_can_load_has_no_key(
    server: JupyterServer, page: httpx.Client, headers: dict[str, str], why: str
) -> None:
    assert page_key(page, server.url, headers) == "", why


@pytest.mark.parametrize("key", ["", "x", "-", "a-b", "OTHER", "PART"])
def test_a_connection_without_the_pages_key_answers_nothing(
    server: JupyterServer, page: httpx.Client, question: tuple[str, dict[str, Any]], key: str
) -> None:
    turn_id, answer = question
    own = page_key(page, server.url)
    sent = {"OTHER": PageKeys(b"another server").make(""), "PART": own[:-1]}.get(key, key)
    with server.stream(page, origin=server.origin) as stream:
        prove(stream, sent)
        assert command_over(stream, answer)["error"]["reason"] == "not_allowed"
        assert command_over(stream, {"name": "list_agents"})["error"] is None, "it may read"
        stop = {"name": "cancel", "session_id": answer["session_id"], "turn_id": turn_id}
        assert command_over(stream, stop)["error"] is None, "and stop"


@pytest.mark.parametrize(
    "headers",
    [
        AS_A_PAGE,
        {**AS_A_PAGE, "Sec-Fetch-Site": "same-origin"},
        {**AS_A_PAGE, "Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"},
        {},
    ],
    ids=["opened", "opened by a link", "in another site's frame", "an older browser"],
)
def test_a_page_answers_with_its_key(
    server: JupyterServer,
    page: httpx.Client,
    question: tuple[str, dict[str, Any]],
    headers: dict[str, str],
) -> None:
    turn_id, answer = question
    with server.stream(page, origin=server.origin) as stream:
        prove(stream, page_key(page, server.url, headers))
        assert command_over(stream, answer)["error"] is None
    with server.user() as user:
        assert finished(user, turn_id)["turn"]["stop_reason"] == "end_turn"


def test_a_program_answers_with_a_token_in_its_header(
    server: JupyterServer, question: tuple[str, dict[str, Any]]
) -> None:
    _, answer = question
    with server.stream() as stream:
        assert command_over(stream, answer)["error"] is None


def test_a_page_keeps_its_key_while_its_server_is_started_again(tmp_path: Path) -> None:
    keys = PageKeys(b"the secret of the cookies")
    key = keys.make("ada")
    assert PageKeys(b"the secret of the cookies").is_good(key, "ada")
    assert not keys.is_good(key, "bob")
    assert not keys.is_good(key, "")
    assert keys.make("ada") != key


def test_wrong_keys_of_a_page_wait(
    server: JupyterServer, page: httpx.Client, question: tuple[str, dict[str, Any]]
) -> None:
    """The next frame of that connection is read after the wait; a right key has none."""
    _, answer = question
    own = page_key(page, server.url)
    with server.stream(page, origin=server.origin) as stream:
        for _ in range(8):
            prove(stream, "wrong")
        refusals = 0
        while refusals < 8:
            frame = json.loads(stream.recv(timeout=PATIENCE_SECONDS))
            refusals += frame["type"] == "error"
    with server.stream(page, origin=server.origin) as stream:
        prove(stream, own)
        assert command_over(stream, answer)["error"] is None
