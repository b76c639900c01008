"""The inbox's page: who gets it, with which key, and what it may load."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.sync.client import ClientConnection

from acp_jupyter.features.inbox.pages import PAGES
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.named_users import as_person
from tests.support.server.page import AS_A_PAGE, command_over
from tests.support.server.routes import finished, open_session, pending, start_turn

PATHS = [f"acp-jupyter/{path}" for path in PAGES]
FETCHED = {"Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "same-origin"}
FRAMED = {"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin"}


class _Elements(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def get(client: httpx.Client, server: JupyterServer, path: str, **headers: str) -> httpx.Response:
    return client.get(f"{server.url}{path}", headers={**AS_A_PAGE, **headers})


def key_in(page: httpx.Response) -> str:
    config = re.search(r'id="jupyter-config-data">(.*?)</script>', page.text)
    assert config is not None, page.text
    return str(json.loads(config[1])["acpPageKey"])


@pytest.mark.parametrize("path", PATHS)
def test_without_a_login_there_is_no_page(server: JupyterServer, path: str) -> None:
    with server.client() as nobody:
        answer = get(nobody, server, path)
    to_login = answer.status_code == 302 and "/user/ada/login" in answer.headers["Location"]
    assert to_login or answer.status_code == 403, (answer.status_code, answer.text)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["cara", "dan"])
def test_who_may_not_use_agents_gets_no_page(server: JupyterServer, name: str, path: str) -> None:
    with as_person(server, name) as client:
        assert get(client, server, path).status_code == 403


@pytest.mark.parametrize("path", PATHS)
def test_pages_only_answer_what_is_read(server: JupyterServer, path: str) -> None:
    with as_person(server, "ada") as ada:
        answer = ada.post(f"{server.url}{path}", headers={"Origin": "https://evil.example"})
        assert answer.status_code in {403, 405}


def test_the_page_loads_its_own_script_alone_below_the_hubs_prefix(server: JupyterServer) -> None:
    with as_person(server, "ada") as ada:
        page = get(ada, server, "acp-jupyter/inbox")
        assert page.status_code == 200
        policy = dict(
            part.split(" ", 1) for part in page.headers["Content-Security-Policy"].split("; ")
        )
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert page.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert page.headers["Cache-Control"] == "no-store"
        assert "_xsrf" in page.cookies
        elements = _Elements(page.text).found
        addresses = [of.get("src") or of.get("href") for _, of in elements]
        loaded = [each for each in addresses if each]
        assert len(loaded) == 3
        assert all(each.startswith("/user/ada/acp-jupyter/inbox/") for each in loaded)
        scripts = [of for tag, of in elements if tag == "script"]
        assert all("src" in of or of["type"] == "application/json" for of in scripts), "no inline"
        for path in loaded:
            answer = ada.get(f"{server.origin}{path}")
            assert answer.status_code == 200, path
        manifest = get(ada, server, "acp-jupyter/inbox/manifest.json").json()
        assert manifest["start_url"] == urlsplit(f"{server.url}acp-jupyter/inbox").path


def test_a_script_that_the_browser_has_is_not_sent_again(server: JupyterServer) -> None:
    with as_person(server, "ada") as ada:
        first = get(ada, server, "acp-jupyter/inbox/page.js")
        again = get(
            ada, server, "acp-jupyter/inbox/page.js", **{"If-None-Match": first.headers["Etag"]}
        )
        assert (first.status_code, again.status_code) == (200, 304)


@pytest.mark.parametrize("headers", [FETCHED, FRAMED], ids=["fetched", "in a frame"])
def test_a_script_in_another_page_gets_no_key(
    server: JupyterServer, headers: dict[str, str]
) -> None:
    with as_person(server, "ada") as ada:
        assert key_in(get(ada, server, "acp-jupyter/inbox", **headers)) == ""


@pytest.mark.parametrize("whose", ["ada", "bob", ""])
def test_only_the_key_of_ones_own_page_answers(server: JupyterServer, whose: str) -> None:
    with as_person(server, "ada") as ada:
        session_id = open_session(ada, "permission")
        turn_id = start_turn(ada, session_id, "new words")
        answer = {
            **{"name": "answer_permission", "session_id": session_id, "option_id": "yes"},
            "request_id": pending(ada, session_id)["request_id"],
        }
        key = ""
        if whose:
            with as_person(server, whose) as owner:
                key = key_in(get(owner, server, "acp-jupyter/inbox"))
        with server.stream(ada, origin=server.origin) as stream:
            _prove(stream, key)
            error = command_over(stream, answer)["error"]
            if whose == "ada":
                assert error is None
            else:
                assert error["reason"] == "not_allowed"
                assert command_over(stream, {"name": "cancel", **_of(session_id, turn_id)})
        finished(ada, turn_id)
        ada.delete(f"sessions/{session_id}").raise_for_status()


def _prove(stream: ClientConnection, key: str) -> None:
    stream.send(json.dumps({"type": "proof", "key": key}))


def _of(session_id: str, turn_id: str) -> dict[str, str]:
    return {"session_id": session_id, "turn_id": turn_id}
