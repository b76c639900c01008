"""JupyterHub: a prefix, cookies of several paths, tokens, and users apart from each other."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.support.server.hub import Hub, HubUser
from tests.support.server.hub_environment import HubEnvironment, hub_environment
from tests.support.server.routes import finished, open_session, pending, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> HubEnvironment:
    return hub_environment(tmp_path_factory.mktemp("hub-wheel"))


@pytest.fixture(scope="module")
def hub(environment: HubEnvironment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with Hub(tmp_path_factory.mktemp("hub"), environment) as hub:
        yield hub


@pytest.fixture(scope="module")
def ada(hub: Hub) -> HubUser:
    return hub.user("ada")


@pytest.fixture(scope="module")
def bob(hub: Hub) -> HubUser:
    return hub.user("bob")


def xsrf(client: httpx.Client, user: HubUser) -> str:
    """Return the token of the user's own server; the hub sets another of the same name."""
    path = httpx.URL(user.url).path
    (found,) = [
        cookie.value
        for cookie in client.cookies.jar
        if cookie.name == "_xsrf" and cookie.path == path
    ]
    assert found is not None
    return found


def test_a_page_needs_its_token_for_every_request(hub: Hub, ada: HubUser) -> None:
    """What a page sends: cookies and, on GETs too, the XSRF token."""
    with hub.login(ada) as page:
        assert page.get("agents").status_code == 403
        header = {"X-XSRFToken": xsrf(page, ada)}
        agents = page.get("agents", headers=header).raise_for_status().json()
        assert "demo" in [agent["id"] for agent in agents]
        assert page.post("sessions", json={"agent": "demo"}).status_code == 403
        assert page.get("agents", params={"_xsrf": header["X-XSRFToken"]}).status_code == 200
        page.headers.update(header)
        session_id = open_session(page, "demo")
        turn_id = start_turn(page, session_id, "create made.txt rate=0")
        request = pending(page, session_id)
        assert not (ada.root / "made.txt").exists()
        url = f"sessions/{session_id}/permissions/{request['request_id']}"
        chosen = {"option_id": request["options"][0]["option_id"]}
        assert page.post(url, json=chosen).status_code == 403, "a script has the cookie, too"
        with ada.client() as program:
            program.post(url, json=chosen).raise_for_status()
        assert finished(page, turn_id)["turn"]["stop_reason"] == "end_turn"
        assert (ada.root / "made.txt").exists()


def test_the_stream_of_a_page_comes_through_the_proxy(hub: Hub, ada: HubUser) -> None:
    with hub.login(ada) as page:
        path = httpx.URL(ada.url).path
        cookies = [
            f"{cookie.name}={cookie.value}"
            for cookie in page.cookies.jar
            if path.startswith(cookie.path)
        ]
    url = ada.api.replace("http", "ws", 1) + "stream"
    origin = Origin(hub.url.removesuffix("/pfx/"))
    headers = {"Cookie": "; ".join(cookies)}
    with connect(url, additional_headers=headers, origin=origin, proxy=None) as stream:
        assert json.loads(stream.recv(timeout=PATIENCE_SECONDS))["type"] == "hello"
    foreign = Origin("http://evil.example")
    with pytest.raises(InvalidStatus) as refused:
        connect(url, additional_headers=headers, origin=foreign, proxy=None)
    assert refused.value.response.status_code == 403


def test_packets_come_as_they_happen(ada: HubUser) -> None:
    """The proxy holds nothing back."""
    with ada.client() as client:
        session_id = open_session(client, "demo")
        start_turn(client, session_id, "slow rate=10")
        seen: list[float] = []
        url = f"sessions/{session_id}/packets"
        with client.stream("GET", url, params={"after": 0}) as answer:
            for line in answer.iter_lines():
                if line.startswith("data:"):
                    seen.append(time.monotonic())
                if len(seen) >= 12:
                    break
        assert seen[-1] - seen[0] > 0.3
        client.post(f"sessions/{session_id}/cancel").raise_for_status()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "agents"),
        ("GET", "sessions"),
        ("POST", "sessions"),
        ("GET", "sessions/ID/packets"),
        ("GET", "sessions/ID/traffic"),
        ("POST", "sessions/ID/prompt"),
        ("POST", "sessions/ID/cancel"),
        ("DELETE", "sessions/ID"),
    ],
)
def test_one_users_routes_are_closed_to_another(
    hub: Hub, ada: HubUser, bob: HubUser, method: str, path: str
) -> None:
    with ada.client() as owner:
        session_id = open_session(owner, "demo")
    path = path.replace("ID", session_id)
    body: dict[str, Any] = {"json": {"agent": "demo", "prompt": "Hi"}} if method == "POST" else {}
    with ada.client(token=bob.token) as other:
        assert other.request(method, path, **body).status_code == 403
    with httpx.Client(base_url=ada.api) as nobody:
        assert nobody.request(method, path, **body).status_code == 403
    with hub.login(bob) as page:
        headers = {"X-XSRFToken": xsrf(page, bob)}
        answer = page.request(method, f"{ada.api}{path}", headers=headers, **body)
        assert answer.status_code == 403
    with bob.client() as own:
        assert session_id not in [each["session_id"] for each in own.get("sessions").json()]
    with ada.client() as owner:
        assert owner.get(f"sessions/{session_id}").status_code == 200


def test_a_guest_of_a_shared_server_answers_for_nobody_else(hub: Hub, ada: HubUser) -> None:
    """Who may open the server sees what waits, and for whom; see `tests/server/test_people.py`."""
    guest = hub.guest(ada)
    with ada.client() as owner, guest.client() as other:
        session_id = open_session(owner, "demo")
        turn_id = start_turn(owner, session_id, "create asked.txt rate=0")
        request = pending(other, session_id)
        assert other.get(f"turns/{turn_id}").json()["turn"]["user"] == "ada"
        url = f"sessions/{session_id}/permissions/{request['request_id']}"
        for option in request["options"]:
            assert other.post(url, json={"option_id": option["option_id"]}).status_code == 403
        assert other.post(f"sessions/{session_id}/config", json={"policy": "allow-all"}).is_success
        assert not (ada.root / "asked.txt").exists()
        chosen = {"option_id": request["options"][0]["option_id"]}
        owner.post(url, json=chosen).raise_for_status()
        assert finished(owner, turn_id)["turn"]["stop_reason"] == "end_turn"
        assert (ada.root / "asked.txt").exists()

        # What the guest has allowed is the guest's; a prompt of the guest is the guest's to answer.
        start_turn(owner, session_id, "create again.txt rate=0")
        pending(owner, session_id)
        assert not (ada.root / "again.txt").exists()
        owner.post(f"sessions/{session_id}/cancel").raise_for_status()


def test_a_cell_runs_its_turn_in_the_users_server(ada: HubUser) -> None:
    """The kernel finds the server below the prefix, without any token of the user."""
    root = ada.root / "cells"
    root.mkdir()
    wanted = {
        "path": "cells/own.ipynb",
        "name": "",
        "type": "notebook",
        "kernel": {"name": "python3"},
    }
    code = (
        "%load_ext acp_jupyter\n"
        "from acp_jupyter import connect\n"
        "from acp_jupyter.kernel.client.server_client import host_client\n"
        "turn = connect('demo').prompt('list rate=0').wait()\n"
        "print(host_client().location, turn.stop_reason)"
    )
    with ada.client() as client:
        answer = client.post(f"{ada.url}api/sessions", json=wanted).raise_for_status()
        kernel_id = answer.json()["kernel"]["id"]
        url = f"{ada.url}api/kernels/{kernel_id}/channels".replace("http", "ws", 1)
        headers = {"Authorization": f"token {ada.token}"}
        with connect(url, additional_headers=headers, proxy=None) as channels:
            channels.send(json.dumps(execute_request(code)))
            printed = ""
            while "\n" not in printed:
                message = json.loads(channels.recv(timeout=PATIENCE_SECONDS))
                assert message["msg_type"] != "error", message["content"]
                if message["msg_type"] == "stream":
                    printed += message["content"]["text"]
    assert printed == "server end_turn\n"


def execute_request(code: str) -> dict[str, Any]:
    header = {"msg_id": "m1", "msg_type": "execute_request", "session": "s1", "username": "ada"}
    content = {"code": code, "silent": False, "store_history": False, "allow_stdin": False}
    return {
        "channel": "shell",
        "header": header | {"version": "5.3", "date": ""},
        "parent_header": {},
        "metadata": {},
        "content": content | {"user_expressions": {}, "stop_on_error": True},
    }


def test_work_and_questions_are_not_culled_and_an_idle_server_is(
    environment: HubEnvironment, tmp_path: Path
) -> None:
    """No page is open and nobody asks the servers; an agent is at work in one, another waits."""
    idle = 30
    with Hub(tmp_path / "hub", environment, idle_seconds=idle) as hub:
        eve, finn = hub.user("eve"), hub.user("finn")
        with finn.client() as client:
            waiting = open_session(client, "demo")
            asking = start_turn(client, waiting, "create asked.txt rate=0")
            pending(client, waiting)
        with eve.client() as client:
            session_id = open_session(client, "demo")
            start_turn(client, session_id, "bench N=150 size=5 rate=2")  # 75 s
        started = time.monotonic()
        log = next(eve.root.rglob("traffic.ndjson"))
        eventually(
            lambda: '"stopReason"' in log.read_text(),
            "the turn ends",
            seconds=75 + PATIENCE_SECONDS,
        )
        assert time.monotonic() - started > 2 * idle
        assert hub.server("eve").get("ready") is True
        assert hub.server("finn").get("ready") is True
        with finn.client() as client:
            request = pending(client, waiting)
            url = f"sessions/{waiting}/permissions/{request['request_id']}"
            chosen = {"option_id": request["options"][0]["option_id"]}
            client.post(url, json=chosen).raise_for_status()
            assert finished(client, asking)["turn"]["stop_reason"] == "end_turn"
        assert (finn.root / "asked.txt").exists()
        eventually(
            lambda: not hub.server("eve"),
            "the idle server is culled",
            seconds=idle + PATIENCE_SECONDS,
        )
        eventually(lambda: not hub.server("finn"), "and so is the other")


def test_a_turn_that_was_culled_says_so(hub: Hub, ada: HubUser) -> None:
    """After its hours of waiting, as a culler stops a server; nothing was allowed."""
    gus = hub.user("gus")
    with gus.client() as client:
        session_id = open_session(client, "demo")
        turn_id = start_turn(client, session_id, "create asked.txt rate=0")
        pending(client, session_id)
    hub.stop("gus")
    again = hub.user("gus")
    with again.client() as client:
        client.post(f"sessions/{session_id}/resume").raise_for_status()
        detail = client.get(f"turns/{turn_id}").raise_for_status().json()
    assert detail["turn"]["status"] == "done"
    assert "The Jupyter server stopped during this turn" in json.dumps(detail)
    assert not (gus.root / "asked.txt").exists()
