"""Sessions go along with a notebook that a program other than Jupyter renames or replaces."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from acp_jupyter.transcript.output.record import RUNS_KEY
from tests.support.kernel.notebook_file import (
    display_data,
    new_notebook,
    read_notebook,
    write_notebook,
)
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.wait import eventually


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    with JupyterServer(tmp_path_factory.mktemp("outside"), agents=fake_agents("hello")) as server:
        yield server


@pytest.fixture
def user(server: JupyterServer) -> Iterator[httpx.Client]:
    with server.user() as user:
        yield user


@pytest.fixture
def root(server: JupyterServer) -> Path:
    """A folder of the test's own, below the server's root."""
    return Path(tempfile.mkdtemp(dir=server.root))


class Notebook:
    """A notebook's file, and its session in the server."""

    def __init__(self, server: JupyterServer, user: httpx.Client, file: Path) -> None:
        self._server = server
        self._user = user
        self.file = file
        if not file.exists():
            write_notebook(file, new_notebook("%%acp hello\nHi"))

    @property
    def path(self) -> str:
        return self.file.relative_to(self._server.root).as_posix()

    def session(self) -> str:
        wanted = {"agent": "hello", "notebook_path": self.path, "policy": "ask"}
        made = self._user.post("sessions", json=wanted).raise_for_status()
        return str(made.json()["session_id"])

    def open_in_page(self) -> None:
        """Ask what a page asks about a notebook that it opens."""
        asked = {"notebook_path": self.path}
        self._user.get("records", params=asked).raise_for_status()

    def ask(self, *, is_saved: bool = True) -> str:
        """Send the prompt of its cell, and save the notebook with the output."""
        notebook = read_notebook(self.file)
        cell = notebook.cells[0]
        origin = {"notebook_path": self.path, "cell_id": cell.id, "source": cell.source}
        session, turn_id = self.send(origin=origin)
        if is_saved:
            output = display_data(**{"text/plain": "Hello"})
            output.metadata = {RUNS_KEY: {turn_id: session}}
            cell.outputs = [output]
            write_notebook(self.file, notebook)
        return session

    def send(self, **more: object) -> tuple[str, str]:
        """Send a prompt in its session; return the ids of that and of the turn."""
        session = self.session()
        sent = self._user.post(f"sessions/{session}/prompt", json={"prompt": "Hi", **more})
        turn_id = str(sent.raise_for_status().json()["turn_id"])
        turn = self._user.get(f"turns/{turn_id}", params={"wait": 30}).json()["turn"]
        assert turn["status"] == "done"
        return session, turn_id

    def moved(self, name: str) -> Notebook:
        """Move the file as ``mv`` does, over another one if there is one."""
        to = self.file.parent / name
        to.parent.mkdir(exist_ok=True)
        self.file.replace(to)
        return Notebook(self._server, self._user, to)

    def copied(self, name: str) -> Notebook:
        shutil.copy(self.file, self.file.parent / name)
        return Notebook(self._server, self._user, self.file.parent / name)


def path_of(user: httpx.Client, session_id: str) -> str:
    return str(user.get(f"sessions/{session_id}").json()["notebook_path"])


@pytest.fixture
def book(server: JupyterServer, user: httpx.Client, root: Path) -> Notebook:
    return Notebook(server, user, root / "a.ipynb")


@pytest.mark.parametrize("to", ["b.ipynb", "below/a.ipynb"])
def test_a_session_goes_along_with_a_notebook_that_mv_renames(book: Notebook, to: str) -> None:
    session = book.ask()
    assert book.moved(to).session() == session


def test_a_page_that_opens_the_renamed_notebook_finds_its_session(
    book: Notebook, user: httpx.Client
) -> None:
    session = book.ask()
    renamed = book.moved("b.ipynb")
    renamed.open_in_page()
    assert path_of(user, session) == renamed.path


def test_the_next_cell_of_the_renamed_notebook_goes_on(
    book: Notebook, server: JupyterServer
) -> None:
    session = book.ask()
    kernel = server.start_kernel(book.moved("b.ipynb").path)
    ask = "get_ipython().run_cell_magic('acp', 'hello', 'x')\nprint(_acp.session_id)"
    assert kernel.run(ask).strip() == session


def test_a_session_follows_a_notebook_whose_folder_was_renamed(
    server: JupyterServer, user: httpx.Client, root: Path
) -> None:
    (root / "old").mkdir()
    book = Notebook(server, user, root / "old/n.ipynb")
    session = book.ask()
    (root / "old").rename(root / "new")
    renamed = Notebook(server, user, root / "new/n.ipynb")
    assert renamed.ask() == session
    state = user.get(f"sessions/{session}").json()
    assert state["cwd"] == str((root / "new").resolve())


def test_a_copy_has_a_session_of_its_own_also_after_the_original_is_deleted(
    book: Notebook, user: httpx.Client
) -> None:
    session = book.ask()
    copy = book.copied("copy.ipynb")
    copy.open_in_page()
    book.file.unlink()
    assert copy.session() != session
    assert path_of(user, session) == book.path


def test_a_notebook_without_outputs_of_it_does_not_inherit_a_session(
    book: Notebook, server: JupyterServer, user: httpx.Client
) -> None:
    """Its cells may be those of a template."""
    session = book.ask(is_saved=False)
    assert book.moved("b.ipynb").session() != session
    assert path_of(user, session) == book.path


def test_a_notebook_in_the_place_of_another_does_not_inherit_its_session(
    book: Notebook, server: JupyterServer, user: httpx.Client, root: Path
) -> None:
    session = book.ask()
    other = Notebook(server, user, root / "other.ipynb").moved(book.file.name)
    assert other.session() != session
    assert path_of(user, session) == ""


def test_two_notebooks_keep_their_sessions_when_one_takes_the_others_name(
    book: Notebook, server: JupyterServer, user: httpx.Client, root: Path
) -> None:
    other = Notebook(server, user, root / "other.ipynb")
    first, second = book.ask(), other.ask()
    moved = book.moved("c.ipynb")
    other = other.moved(book.file.name)
    assert other.session() == second
    assert moved.session() == first


@pytest.mark.parametrize("kept", ["cell", "output", "nothing of a cell's turn"])
def test_an_editor_that_saves_by_replacing_the_file_keeps_the_session(
    book: Notebook, kept: str
) -> None:
    session = book.send()[0] if kept.startswith("nothing") else book.ask()
    notebook = read_notebook(book.file)
    if kept == "cell":
        notebook.cells[0].outputs = []
    else:
        notebook.cells[0].id = "another"
    beside = book.file.with_suffix(".new")
    write_notebook(beside, notebook)
    beside.replace(book.file)
    assert book.session() == session


def test_a_session_of_an_earlier_run_follows_its_notebook(tmp_path: Path) -> None:
    agents = fake_agents("hello")
    with JupyterServer(tmp_path, agents=agents) as server, server.user() as user:
        book = Notebook(server, user, server.root / "a.ipynb")
        session = book.ask()
        replaced = Notebook(server, user, server.root / "r.ipynb")
        lost = replaced.ask()
    book.moved("b.ipynb")
    write_notebook(server.root / "n.ipynb", new_notebook("1"))
    (server.root / "n.ipynb").replace(replaced.file)
    with JupyterServer(tmp_path, agents=agents) as server, server.user() as user:
        assert Notebook(server, user, server.root / "b.ipynb").session() == session
        assert Notebook(server, user, server.root / "r.ipynb").session() != lost
        eventually(lambda: path_of(user, lost) == "")
