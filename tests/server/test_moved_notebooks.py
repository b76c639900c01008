"""Sessions go along with their notebook: renamed, moved, copied, deleted and made anew."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.wait import eventually

MODES = ("hello", "lingers")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    with JupyterServer(tmp_path_factory.mktemp("moved"), agents=fake_agents(*MODES)) as server:
        yield server


class Files:
    """The notebooks of a server, as JupyterLab's file browser changes them."""

    def __init__(self, server: JupyterServer) -> None:
        self._server = server

    def make(self, path: str) -> None:
        file = self._server.root / path
        file.parent.mkdir(exist_ok=True)
        write_notebook(file, new_notebook("1"))

    def contents(self, method: str, file: str, **fields: Any) -> str:
        url = f"{self._server.url}api/contents/{file}"
        with self._server.user() as user:
            answer = user.request(method, url, json=fields or None).raise_for_status()
        return str(answer.json()["path"]) if answer.content else ""

    def session(self, path: str, agent: str = "hello") -> str:
        """Return the session of a notebook's cells, found or made."""
        with self._server.user() as user:
            wanted = {"agent": agent, "notebook_path": path, "policy": "ask"}
            made = user.post("sessions", json=wanted).raise_for_status()
        return str(made.json()["session_id"])

    def path_of(self, session_id: str) -> str:
        with self._server.user() as user:
            return str(user.get(f"sessions/{session_id}").json()["notebook_path"])


@pytest.fixture
def files(server: JupyterServer) -> Files:
    return Files(server)


@pytest.mark.parametrize("new", ["renamed.ipynb", "folder/moved.ipynb"])
def test_a_session_goes_along_with_its_notebook(
    server: JupyterServer, files: Files, new: str
) -> None:
    old = f"before-{new.rpartition('/')[2]}"
    files.make(old)
    (server.root / "folder").mkdir(exist_ok=True)
    session = files.session(old)
    files.contents("PATCH", old, path=new)
    eventually(lambda: files.path_of(session) == new)
    assert files.session(new) == session
    # What has the old name now is another notebook.
    files.make(old)
    assert files.session(old) != session


def test_a_copy_gets_a_session_of_its_own(files: Files) -> None:
    files.make("first.ipynb")
    session = files.session("first.ipynb")
    copy = files.contents("POST", "", copy_from="first.ipynb")
    assert files.session(copy) != session
    assert files.path_of(session) == "first.ipynb"


def test_a_notebook_made_in_the_place_of_a_deleted_one_inherits_nothing(files: Files) -> None:
    files.make("gone.ipynb")
    session = files.session("gone.ipynb")
    files.contents("DELETE", "gone.ipynb")
    eventually(lambda: files.path_of(session) == "")
    files.make("gone.ipynb")
    assert files.session("gone.ipynb") != session


def test_the_next_cell_goes_on_in_the_session(server: JupyterServer, files: Files) -> None:
    """Also where nobody but the contents API says that the notebook was renamed."""
    files.make("asked.ipynb")
    kernel = server.start_kernel("asked.ipynb")
    ask = "get_ipython().run_cell_magic('acp', 'hello', 'x')\nprint(_acp.session_id)"
    session = kernel.run(ask).strip()
    files.contents("PATCH", "asked.ipynb", path="answered.ipynb")
    eventually(lambda: files.path_of(session) == "answered.ipynb")
    with server.user() as user:
        bound = f"{server.url}api/sessions"
        eventually(lambda: "answered.ipynb" in [s["path"] for s in user.get(bound).json()])
    assert kernel.run(ask).strip() == session


def test_a_notebook_is_renamed_during_a_turn(
    server: JupyterServer, files: Files, tmp_path: Path
) -> None:
    files.make("busy.ipynb")
    session = files.session("busy.ipynb", "lingers")  # a page's, which a cell goes on with
    kernel = server.start_kernel("busy.ipynb")
    sign = tmp_path / "go"

    def rename() -> None:
        with server.user() as user:
            items = f"sessions/{session}/items?start=0&end=9"
            eventually(lambda: "early" in user.get(items).text)
            files.contents("PATCH", "busy.ipynb", path="done.ipynb")
            eventually(lambda: files.path_of(session) == "done.ipynb")
            turn = user.get(f"sessions/{session}").json()["active_turn_id"]
            assert turn
            user.post(f"sessions/{session}/cancel", json={}).raise_for_status()
            sign.touch()

    with ThreadPoolExecutor(1) as threads:
        renamed = threads.submit(rename)
        ask = f"get_ipython().run_cell_magic('acp', 'lingers', {str(sign)!r})"
        shown = kernel.run(f"{ask}\nprint(_acp.session_id, _acp.stop_reason)")
        renamed.result()
    assert shown.strip() == f"{session} cancelled"


def test_a_session_that_is_not_open_goes_along(tmp_path: Path) -> None:
    agents = fake_agents(*MODES)
    with JupyterServer(tmp_path, agents=agents) as server:
        Files(server).make("kept.ipynb")
        session = Files(server).session("kept.ipynb")
    with JupyterServer(tmp_path, agents=agents) as server:
        Files(server).contents("PATCH", "kept.ipynb", path="found.ipynb")
        eventually(lambda: Files(server).path_of(session) == "found.ipynb")
