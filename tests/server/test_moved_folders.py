"""Sessions go along with their notebooks when a folder above these is renamed, moved or deleted."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.agents.fake_agent import script
from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.server.jupyter_server import JupyterServer, KernelSide, fake_agents
from tests.support.wait import eventually


def agents(folder: Path) -> dict[str, dict[str, Any]]:
    keeper = script("keeps_sessions", str(folder / "agent.json"), "resume")
    return {**fake_agents("hello"), "keeper": keeper}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    folder = tmp_path_factory.mktemp("folders")
    with JupyterServer(folder, agents=agents(folder)) as server:
        yield server


def make(server: JupyterServer, path: str) -> None:
    file = server.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    write_notebook(file, new_notebook("1"))


def session_of(user: httpx.Client, path: str, agent: str = "hello") -> str:
    wanted = {"agent": agent, "notebook_path": path, "policy": "ask"}
    return str(user.post("sessions", json=wanted).raise_for_status().json()["session_id"])


def state_of(user: httpx.Client, session_id: str) -> dict[str, Any]:
    state: dict[str, Any] = user.get(f"sessions/{session_id}").raise_for_status().json()
    return state


def is_at(user: httpx.Client, session_id: str, path: str) -> bool:
    return bool(state_of(user, session_id)["notebook_path"] == path)


def change(
    server: JupyterServer, user: httpx.Client, method: str, path: str, new: str = ""
) -> None:
    url = f"{server.url}api/contents/{path}"
    user.request(method, url, json={"path": new} if new else None).raise_for_status()


def goes_on(kernel: KernelSide, agent: str, prompt: str) -> str:
    """Run a prompt in a cell; return its session, and what the agent said."""
    said = "_acp.session_id, _acp.text"
    ask = f"get_ipython().run_cell_magic('acp', {agent!r}, {prompt!r})"
    return kernel.run(f"{ask}\nprint({said})").strip()


@pytest.mark.parametrize("new", ["after", "deeper/within"])
def test_the_notebooks_of_a_renamed_folder_keep_their_sessions(
    server: JupyterServer, new: str
) -> None:
    old = f"before-{new[:3]}"
    (server.root / "deeper").mkdir(exist_ok=True)
    with server.user() as user:
        sessions = {}
        for name in ("a.ipynb", "more/b.ipynb"):
            make(server, f"{old}/{name}")
            sessions[name] = session_of(user, f"{old}/{name}")
        make(server, f"{old}er/c.ipynb")
        beside = session_of(user, f"{old}er/c.ipynb")
        change(server, user, "PATCH", old, new)
        for name, session in sessions.items():
            eventually(partial(is_at, user, session, f"{new}/{name}"))
            state = state_of(user, session)
            assert state["cwd"] == str((server.root / new / name).parent.resolve())
            assert state["folder"].endswith(str(Path(new, name).parent))
            assert session_of(user, f"{new}/{name}") == session
        assert state_of(user, beside)["notebook_path"] == f"{old}er/c.ipynb"
        # What has the old name now is another folder.
        make(server, f"{old}/a.ipynb")
        assert session_of(user, f"{old}/a.ipynb") not in sessions.values()


def test_the_next_cell_goes_on_in_the_renamed_folder(server: JupyterServer) -> None:
    """The agent remembers what was said, and works in the folder under its new name."""
    make(server, "work/talk.ipynb")
    kernel = server.start_kernel("work/talk.ipynb")
    session, _, said = goes_on(kernel, "keeper", "one").partition(" ")
    assert "one" in said
    with server.user() as user:
        change(server, user, "PATCH", "work", "play")
        eventually(lambda: is_at(user, session, "play/talk.ipynb"))
        bound = f"{server.url}api/sessions"
        eventually(lambda: "play/talk.ipynb" in [s["path"] for s in user.get(bound).json()])
        again, _, how = goes_on(kernel, "keeper", "how").partition(" ")
    assert again == session
    assert "session/resume" in how
    assert str((server.root / "play").resolve()) in how


def test_a_folder_is_renamed_during_a_turn(server: JupyterServer) -> None:
    make(server, "busy/n.ipynb")
    with server.user() as user:
        session = session_of(user, "busy/n.ipynb", "keeper")
        kernel = server.start_kernel("busy/n.ipynb")

        def rename() -> None:
            items = f"sessions/{session}/items?start=0&end=9"
            eventually(lambda: "After 0: wait" in user.get(items).text)
            change(server, user, "PATCH", "busy", "done")
            eventually(lambda: is_at(user, session, "done/n.ipynb"))
            assert state_of(user, session)["active_turn_id"]
            user.post(f"sessions/{session}/cancel", json={}).raise_for_status()

        with ThreadPoolExecutor(1) as threads:
            renamed = threads.submit(rename)
            assert session in goes_on(kernel, "keeper", "wait")
            renamed.result()
        again, _, how = goes_on(kernel, "keeper", "how").partition(" ")
    assert again == session
    assert "session/resume" in how
    assert str((server.root / "done").resolve()) in how


def test_sessions_that_are_not_open_go_along(tmp_path: Path) -> None:
    with JupyterServer(tmp_path, agents=agents(tmp_path)) as server, server.user() as user:
        make(server, "kept/n.ipynb")
        session = session_of(user, "kept/n.ipynb")
    with JupyterServer(tmp_path, agents=agents(tmp_path)) as server, server.user() as user:
        change(server, user, "PATCH", "kept", "found")
        eventually(lambda: is_at(user, session, "found/n.ipynb"))
        assert state_of(user, session)["cwd"] == str((server.root / "found").resolve())


def test_nothing_inherits_the_sessions_of_a_deleted_folder(server: JupyterServer) -> None:
    with server.user() as user:
        make(server, "gone/n.ipynb")
        session = session_of(user, "gone/n.ipynb")
        change(server, user, "DELETE", "gone")
        eventually(lambda: is_at(user, session, ""))
        make(server, "gone/n.ipynb")
        assert session_of(user, "gone/n.ipynb") != session
