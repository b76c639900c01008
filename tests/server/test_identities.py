"""Who gets in, and who does not."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tests.support.server.all_routes import PATHS
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.server.routes import open_session, pending, start_turn
from tests.support.wait import PATIENCE_SECONDS, eventually

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
FOREIGN = "https://evil.example"


def assert_error(answer: httpx.Response, status: int, reason: str) -> None:
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"message", "reason", "detail"}
    assert answer.json()["reason"] == reason
    assert answer.json()["message"]


def test_there_are_routes() -> None:
    assert {"agents", "sessions/some-session_id/permissions/some-request_id", "stream"} <= set(
        PATHS
    )


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("verb", VERBS)
def test_no_credentials_are_refused_without_redirect(
    server: JupyterServer, verb: str, path: str
) -> None:
    with server.client() as client:
        answer = client.request(verb, path)
    assert answer.status_code == 403
    assert "location" not in answer.headers


@pytest.mark.parametrize("credential", ["nonsense", "None"])
def test_a_wrong_token_is_no_credential(server: JupyterServer, credential: str) -> None:
    with server.client() as client:
        for header in (f"token {credential}", f"Bearer {credential}"):
            answer = client.get("agents", headers={"Authorization": header})
            assert_error(answer, 403, "not_allowed")
        assert_error(client.get("agents", params={"token": credential}), 403, "not_allowed")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in {"GET", "HEAD"}])
def test_a_cookie_without_xsrf_token_changes_nothing(
    browser: httpx.Client, verb: str, path: str
) -> None:
    assert browser.request(verb, path).status_code == 403


def test_a_cookie_with_xsrf_token_is_enough(browser: httpx.Client) -> None:
    xsrf = {"X-XSRFToken": browser.cookies["_xsrf"]}
    session_id = browser.post("sessions", json={"agent": "hello"}, headers=xsrf).json()[
        "session_id"
    ]
    assert browser.delete(f"sessions/{session_id}", headers=xsrf).status_code == 200


def test_the_stream_needs_credentials(server: JupyterServer) -> None:
    with server.client() as nobody, pytest.raises(InvalidStatus) as refused:
        server.stream(nobody)
    assert refused.value.response.status_code == 403


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """A server that lets any page read its public things."""
    folder = tmp_path_factory.mktemp("open")
    arguments = ["--ServerApp.allow_origin=*"]
    with JupyterServer(folder, agents=fake_agents("hello"), args=arguments) as server:
        yield server


@pytest.mark.parametrize("origin", [FOREIGN, "null", "http://localhost:1"])
@pytest.mark.parametrize("which", ["server", "open_server"])
def test_a_foreign_origin_with_the_cookie_is_refused(
    request: pytest.FixtureRequest, which: str, origin: str
) -> None:
    server: JupyterServer = request.getfixturevalue(which)
    with server.browser() as browser:
        headers = {"Origin": origin, "X-XSRFToken": browser.cookies["_xsrf"]}
        assert_error(
            browser.post("sessions", json={"agent": "hello"}, headers=headers), 403, "not_allowed"
        )
        assert browser.get("sessions", headers=headers).status_code == 403
        with pytest.raises(InvalidStatus) as refused:
            server.stream(browser, origin=origin)
        assert refused.value.response.status_code == 403
        assert browser.get("sessions").json() == []


@pytest.mark.parametrize("which", ["server", "open_server"])
def test_the_own_origin_with_the_cookie_is_welcome(
    request: pytest.FixtureRequest, which: str
) -> None:
    server: JupyterServer = request.getfixturevalue(which)
    with server.browser() as browser:
        headers = {"Origin": server.origin, "X-XSRFToken": browser.cookies["_xsrf"]}
        session_id = browser.post("sessions", json={"agent": "hello"}, headers=headers).json()[
            "session_id"
        ]
        with server.stream(browser, origin=server.origin) as stream:
            assert '"hello"' in str(stream.recv(timeout=PATIENCE_SECONDS))
        browser.delete(f"sessions/{session_id}", headers=headers).raise_for_status()


def test_a_forwarded_host_counts_only_where_proxies_are_trusted(
    server: JupyterServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    headers = {"Origin": FOREIGN, "X-Forwarded-Host": "evil.example"}
    with server.browser() as browser:
        assert browser.get("agents", headers=headers).status_code == 403
    trusting = JupyterServer(
        tmp_path_factory.mktemp("proxied"), args=["--ServerApp.trust_xheaders=True"]
    )
    with trusting, trusting.browser() as browser:
        assert browser.get("agents", headers=headers).status_code == 200


DENYING = """
from jupyter_server.auth import Authorizer

class Denying(Authorizer):
    async def is_authorized(self, handler, user, action, resource):
        return resource != "acp"

c.ServerApp.authorizer_class = Denying
"""


def test_the_authorizer_has_the_last_word_about_users(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    denying = JupyterServer(tmp_path_factory.mktemp("denying"), config=DENYING)
    with denying, denying.user() as user:
        assert user.get(f"{denying.url}api/status").status_code == 200
        for path in PATHS:
            for verb in VERBS:
                assert user.request(verb, path).status_code == 403, (verb, path)
        with pytest.raises(InvalidStatus) as refused:
            denying.stream(user)
        assert refused.value.response.status_code == 403


# -- kernels -------------------------------------------------------------------


def test_a_kernel_and_its_server_know_each_other(kernel: KernelSide) -> None:
    answer = kernel.request("GET", "kernel")
    assert answer.status_code == 200
    told = answer.json()
    assert told["kernel_id"] == kernel.kernel_id
    assert told["notebook_path"] == kernel.notebook_path
    assert told["api_version"] == 1
    nonce = answer.request.headers["X-Acp-Nonce"]
    from acp_jupyter.api.kernel_auth import server_proof

    assert told["proof"] == server_proof(kernel.key, nonce)


def test_only_kernels_shake_hands(user: httpx.Client) -> None:
    assert_error(user.get("kernel"), 403, "not_allowed")


def test_a_signed_request_counts_once(kernel: KernelSide) -> None:
    request = kernel.signed("GET", "sessions")
    with kernel.server.client() as client:
        assert client.send(request).status_code == 200
        assert_error(client.send(request), 403, "not_allowed")


@pytest.mark.parametrize("seconds", [-90, 90])
def test_an_old_or_future_request_is_refused(kernel: KernelSide, seconds: float) -> None:
    request = kernel.signed("GET", "sessions", at=time.time() + seconds)
    with kernel.server.client() as client:
        assert_error(client.send(request), 403, "not_allowed")


def test_a_request_that_was_changed_is_refused(kernel: KernelSide) -> None:
    body = {"agent": "hello"}
    genuine = kernel.signed("POST", "sessions", body)
    url = genuine.url
    changed = [
        httpx.Request("PUT", url, headers=genuine.headers, content=genuine.content),
        httpx.Request("POST", f"{url}?new=1", headers=genuine.headers, content=genuine.content),
        httpx.Request(
            "POST", url, headers=_without_length(genuine.headers), content=b'{"agent": "demo"}'
        ),
        httpx.Request(
            "POST",
            url,
            headers={**genuine.headers, "X-Acp-Kernel": "another"},
            content=genuine.content,
        ),
    ]
    with kernel.server.client() as client:
        for request in changed:
            assert_error(client.send(request), 403, "not_allowed")


@pytest.mark.parametrize("key", [b"", b"guess"])
def test_another_key_proves_nothing(kernel: KernelSide, key: bytes) -> None:
    with kernel.server.client() as client:
        assert_error(client.send(kernel.signed("GET", "kernel", key=key)), 403, "not_allowed")


def test_the_key_of_one_kernel_does_not_speak_for_another(
    kernel: KernelSide, other_kernel: KernelSide
) -> None:
    request = kernel.signed("GET", "kernel", key=other_kernel.key)
    with kernel.server.client() as client:
        assert_error(client.send(request), 403, "not_allowed")


def test_a_bad_proof_is_not_saved_by_a_cookie(kernel: KernelSide, browser: httpx.Client) -> None:
    request = kernel.signed("GET", "sessions", key=b"guess")
    assert browser.get("sessions", headers=request.headers).status_code == 403


def test_a_kernel_uses_its_own_sessions_only(
    kernel: KernelSide, other_kernel: KernelSide, user: httpx.Client
) -> None:
    mine = kernel.request("POST", "sessions", {"agent": "hello"}).json()["session_id"]
    try:
        assert kernel.request("GET", f"sessions/{mine}").status_code == 200
        turn = kernel.request("POST", f"sessions/{mine}/prompt", {"prompt": "hi"}).json()["turn_id"]
        path = f"turns/{turn}?wait=20"
        eventually(lambda: kernel.request("GET", path).json()["turn"]["status"] == "done")

        assert_error(other_kernel.request("GET", f"sessions/{mine}"), 404, "unknown_session")
        assert_error(other_kernel.request("GET", f"turns/{turn}"), 404, "unknown_turn")
        prompt = other_kernel.request("POST", f"sessions/{mine}/prompt", {"prompt": "hi"})
        assert_error(prompt, 404, "unknown_session")
        assert mine not in [s["session_id"] for s in other_kernel.request("GET", "sessions").json()]
    finally:
        user.delete(f"sessions/{mine}").raise_for_status()


def test_a_kernel_decides_nothing_for_the_user(kernel: KernelSide, user: httpx.Client) -> None:
    session_id = open_session(user, "permission", notebook_path=kernel.notebook_path)
    try:
        turn_id = start_turn(user, session_id, "words")
        request_id = pending(user, session_id)["request_id"]
        session = f"sessions/{session_id}"
        refused = [
            kernel.request("POST", f"{session}/permissions/{request_id}", {"option_id": "yes"}),
            kernel.request("POST", f"{session}/permissions/{request_id}", {"outcome": "cancelled"}),
            kernel.request("POST", f"{session}/config", {"policy": "allow-all"}),
            kernel.request("GET", f"turns/{turn_id}/attach?notebook_path=x&cell_id=y"),
            kernel.request("GET", f"records?notebook_path={kernel.notebook_path}"),
            kernel.request("GET", f"{session}/traffic"),
            kernel.request("DELETE", session),
        ]
        for answer in refused:
            assert_error(answer, 403, "not_allowed")
        state = user.get(session).json()
        assert (state["policy"], state["waiting"]) == ("ask", 1)
    finally:
        user.delete(f"sessions/{session_id}").raise_for_status()


def test_a_kernel_works_in_the_server_root_only(kernel: KernelSide) -> None:
    answer = kernel.request("POST", "sessions", {"agent": "hello", "cwd": "/"})
    assert_error(answer, 403, "not_allowed")


def _without_length(headers: httpx.Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name != "content-length"}
