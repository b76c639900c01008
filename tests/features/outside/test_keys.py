"""Keys of agents outside: shown once, revocable, and good for nothing else."""

from __future__ import annotations

import importlib
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from acp_jupyter.errors import NotAllowed
from acp_jupyter.features.outside.keys import OutsideKeys
from tests.features.outside.conftest import NOTEBOOK, MakeKey
from tests.features.outside.support.mcp_client import COMMAND, Outside
from tests.notebook_tools.in_process import write_notebook
from tests.support.server.jupyter_server import JupyterServer, KernelSide
from tests.support.server.user import AsUser
from tests.support.wait import PATIENCE_SECONDS

_REFUSED = "This key is not valid"


def test_a_key_is_shown_once_and_listed_with_its_last_use(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    made = make_key("read-only")
    entry = made["entry"]
    assert made["variable"] == "ACP_JUPYTER_KEY"
    assert entry["expires_at"] - entry["created_at"] == pytest.approx(7 * 24 * 3600)

    def listed() -> Any:
        text = user.text("outside-keys")
        assert made["key"] not in text
        assert made["key"].rpartition("-")[2] not in text
        return next(k for k in user.get("outside-keys") if k["key_id"] == entry["key_id"])

    assert listed() == entry
    assert entry["last_used_at"] is None
    with Outside(server.url, made["key"], "user") as agent:
        agent.call("list_cells")
        assert entry["created_at"] <= listed()["last_used_at"] <= time.time()


def test_a_revoked_key_ends_what_is_connected_and_connects_no_more(
    server: JupyterServer, user: AsUser, make_key: MakeKey
) -> None:
    made = make_key("ask")
    agent = Outside(server.url, made["key"], "revoked")
    agent.call("list_cells")
    waiting = agent.begin_call("run_code", code="1")
    sessions = [s for s in user.get("sessions") if s["agent_info"]["name"] == "revoked (outside)"]
    turn_id = user.newest_turn(sessions[0]["session_id"])
    user.permission(turn_id)
    user.delete(f"outside-keys/{made['entry']['key_id']}")
    assert agent.text(waiting).startswith("error: ")
    assert agent.process.wait() == 1
    assert "the key was revoked, its time is over" in agent.close()[1]
    (permission,) = user.permissions(user.ended(turn_id))
    assert permission["state"] not in {"pending", "allowed"}
    with Outside(server.url, made["key"], "") as again:
        told = again.ask("initialize", {})
        assert told["error"]["message"].startswith(_REFUSED)
        assert again.process.wait() == 1


@pytest.mark.parametrize("key", ["acp-key-0-0", "no key at all", "acp-key--"])
def test_a_wrong_key_is_refused_and_the_client_told_why(server: JupyterServer, key: str) -> None:
    with Outside(server.url, key, "") as agent:
        assert agent.ask("initialize", {})["error"]["message"].startswith(_REFUSED)
        assert agent.process.wait() == 1


def test_a_client_that_asks_for_versions_first_is_told_why_too(server: JupyterServer) -> None:
    """It takes the first error for that of an older server, and begins anew."""
    with Outside(server.url, "no key at all", "") as agent:
        for method in ("server/discover", "initialize"):
            assert agent.ask(method)["error"]["message"].startswith(_REFUSED)
        assert agent.process.wait() == 1


def test_a_part_of_a_key_and_another_keys_secret_are_no_key(
    server: JupyterServer, make_key: MakeKey
) -> None:
    one, two = make_key()["key"], make_key()["key"]
    head, _, secret = one.rpartition("-")
    for wrong in (head, f"{head}-", secret, f"{two.rpartition('-')[0]}-{secret}", f"{one}0"):
        assert _status(server, wrong) == 403
    assert _status(server, one) == 101


def _status(server: JupyterServer, key: str, **headers: str) -> int:
    url = server.api.replace("http", "ws", 1) + "outside"
    try:
        with connect(
            url,
            additional_headers={"X-Acp-Key": key, **headers},
            proxy=None,
            open_timeout=PATIENCE_SECONDS,
        ):
            return 101
    except InvalidStatus as error:
        return error.response.status_code


def test_a_key_opens_no_other_route_and_nothing_else_opens_its_own(
    server: JupyterServer, side: KernelSide, make_key: MakeKey
) -> None:
    key = make_key()["key"]
    with server.client() as nobody:
        for headers in ({"X-Acp-Key": key}, {"Authorization": f"token {key}"}):
            for method, path in (
                ("GET", "sessions"),
                ("GET", "outside-keys"),
                ("POST", "outside-keys"),
                ("DELETE", "outside-keys/x"),
            ):
                assert nobody.request(method, path, headers=headers).status_code == 403
            api = nobody.get(f"{server.url}api/contents", headers=headers)
            assert api.status_code == 403
    with server.user() as user:
        token = user.headers["Authorization"]
    assert _status(server, "", Authorization=token) == 403
    assert _status(server, key, Origin=server.origin) == 403  # a page has no business here


def test_a_kernel_makes_and_lists_and_revokes_no_keys(side: KernelSide, path: Path) -> None:
    body = {"notebook_path": NOTEBOOK, "policy": "ask"}
    for method, where, sent in (
        ("POST", "outside-keys", body),
        ("GET", "outside-keys", None),
        ("DELETE", "outside-keys/x", None),
    ):
        answer = side.request(method, where, sent)
        assert answer.status_code == 403
        assert "Only the user can" in answer.json()["message"]


def test_keys_are_for_notebooks_that_are_there(user: AsUser, path: Path) -> None:
    for wrong in ("work/none.ipynb", "../n.ipynb", "work", "/etc/passwd", ""):
        answer = user.post("outside-keys", {"notebook_path": wrong})
        assert answer.status_code == 400, wrong
    assert (
        user.post("outside-keys", {"notebook_path": NOTEBOOK, "policy": "allow-all"}).status_code
        == 400
    )


def test_an_administrator_can_forbid_agents_outside(tmp_path: Path) -> None:
    for config, words in (
        ("c.AcpJupyter.allowed_agents = ['demo']", "Agents outside are not allowed here."),
        ("c.AcpJupyter.notebook_tools = False", "The notebook tools are turned off"),
    ):
        folder = tmp_path / words[:5]
        with JupyterServer(folder, config=config) as server, AsUser(server) as user:
            write_notebook(server.root / "n.ipynb", "x")
            answer = user.post("outside-keys", {"notebook_path": "n.ipynb"})
            assert answer.status_code == 403
            assert words in answer.json()["message"]


@pytest.mark.long
def test_a_server_that_has_gone_is_told(tmp_path: Path) -> None:
    with JupyterServer(tmp_path) as server, AsUser(server) as user:
        write_notebook(server.root / "n.ipynb", "x")
        key = user.post("outside-keys", {"notebook_path": "n.ipynb"}).json()["key"]
        agent = Outside(server.url, key)
        assert "1 cells" in agent.call("list_cells")
        server.kill()
    assert agent.process.wait() == 1
    assert "has gone" in agent.close()[1]
    with Outside(server.url, key, "") as again:
        assert again.ask("initialize", {})["error"]["message"].startswith(
            "No Jupyter server answers"
        )


def test_the_command_asks_for_the_key_and_sends_none_for_all_to_read() -> None:
    for url, key, words in (
        ("http://localhost:1/", "", "Put the key of the notebook into the environment"),
        ("http://notebooks.example/", "k", "http:// would send the key unencrypted"),
        ("localhost:8888", "k", "is not the address of a Jupyter server"),
    ):
        with Outside(url, key, "", COMMAND) as agent:
            assert words in agent.ask("initialize", {})["error"]["message"]
            assert agent.process.wait() == 1


def test_jupyter_acp_is_the_program_that_is_tested_here() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["jupyter-acp"].partition(":")
    assert COMMAND[2] == module
    assert callable(getattr(importlib.import_module(module), name))


def test_a_key_ends_with_its_time() -> None:
    ended: list[str] = []
    now = 1000.0
    keys = OutsideKeys(seconds=60.0, clock=lambda: now)
    keys.on_end(ended.append)
    known, secret = keys.make(NOTEBOOK, "ask", "")
    assert keys.find(secret) is known
    now = 1059.0
    assert keys.find(secret) is known
    now = 1060.0
    assert not keys.all()
    assert ended == [known.key_id]
    with pytest.raises(NotAllowed, match=_REFUSED):
        keys.find(secret)
    with pytest.raises(NotAllowed, match=_REFUSED):
        keys.use(known.key_id)


def test_only_a_hash_of_a_key_is_kept_and_there_are_not_too_many() -> None:
    keys = OutsideKeys(most=2)
    _, secret = keys.make(NOTEBOOK, "ask", "")
    assert secret.rpartition("-")[2] not in repr(vars(keys))
    keys.make(NOTEBOOK, "ask", "")
    with pytest.raises(Exception, match="Revoke one first"):
        keys.make(NOTEBOOK, "ask", "")
