"""JupyterLab with jupyter-collaboration: two people, one document, and an agent that changes it."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import nbformat
import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_file import OpenFile
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.environments import collaboration_environment
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS, agents
from tests.support.server.routes import finished, start_turn
from tests.support.server.workspace import CLEAN_PY, Workspace
from tests.support.wait import eventually

pytestmark = pytest.mark.long

TRACES = Path(__file__).resolve().parents[2] / "test-results"
T = TypeVar("T")
_KNOWN = """async path => {
  const { context } = [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path);
  const { contents } = jupyterapp.serviceManager;
  const disk = await contents.get(path, { content: false });
  return !context.model.dirty && disk.last_modified === context.contentsModel.last_modified;
}"""
_SAVE = f"""async path => {{
  if (!await ({_KNOWN})(path)) {{
    return false;
  }}
  const {{ context }} = [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path);
  const asked = new Promise(resolve => setTimeout(resolve, 10000));
  await Promise.race([context.save().catch(() => null), asked]);
  return true;
}}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    python = collaboration_environment(tmp_path_factory.mktemp("wheel"))
    folder = tmp_path_factory.mktemp("shared")
    # It would ask whether news are wanted.
    settings = folder / "config/lab/user-settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    with JupyterServer(
        folder, app="jupyterlab", agents=agents(), args=LAB_ARGS, python=str(python)
    ) as running:
        yield running


@dataclass(frozen=True)
class Two:
    """Two people in one folder, each with a browser of their own."""

    ada: LabPage
    bob: LabPage
    workspace: Workspace

    @property
    def pages(self) -> tuple[LabPage, LabPage]:
        return self.ada, self.bob

    def open(self, path: str) -> tuple[OpenNotebook, OpenNotebook]:
        ada, bob = (page.open(path) for page in self.pages)
        ada.wait_for_kernel()
        return ada, bob

    def ask(self, prompt: str, meanwhile: Callable[[], None] = lambda: None) -> dict[str, Any]:
        """Send a prompt of a third one; return the turn at its end."""
        with self.ada.server.user() as user:
            asked = {"agent": "edits_files", "cwd": self.workspace.name, "policy": "allow-all"}
            session = user.post("sessions", json=asked).json()["session_id"]
            turn_id = start_turn(user, session, prompt)
            meanwhile()
            turn: dict[str, Any] = finished(user, turn_id)["turn"]
            user.delete(f"sessions/{session}")
        return turn

    def expect_known(self, path: str) -> None:
        """Wait until both pages have heard how the file stands: what is typed then is on top."""
        each(self.pages, lambda page: page.page.evaluate(_KNOWN, path), "it is known")

    def expect_no_questions(self, path: str) -> None:
        """Save by hand, on one page after the other, once it has heard that it is saved.

        JupyterLab itself asks where two people save at the same moment.
        """
        for page in self.pages:
            eventually(functools.partial(page.page.evaluate, _SAVE, path), "it is known")
            assert page.notices.all_inner_texts() == []


@pytest.fixture
def two(server: JupyterServer, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Two]:
    name = re.sub(r"\W+", "-", request.node.name.removeprefix("test_"))
    visitors = [Visitor(browser, TRACES) for _ in range(2)]
    ada, bob = (LabPage(visitor, server) for visitor in visitors)
    yield Two(ada, bob, Workspace(server.root, name))
    for visitor in visitors:
        visitor.close()


def each(items: Iterable[T], holds: Callable[[T], Any], what: str) -> None:
    """Wait until it holds for each of them."""
    for item in items:
        eventually(functools.partial(holds, item), what=what)


def sources(notebook: OpenNotebook) -> list[str]:
    return [
        str(source)
        for source in notebook.lab.page.evaluate(
            """path => [...jupyterapp.shell.widgets('main')].find(w => w.context?.path === path)
              .content.model.sharedModel.cells.map(cell => cell.getSource())""",
            notebook.path,
        )
    ]


def test_an_agent_writes_to_a_file_that_two_have_open(two: Two) -> None:
    for page in two.pages:
        page.open_empty(two.workspace.name)
    path = f"{two.workspace.name}/clean.py"
    ada, bob = (OpenFile(page, path) for page in two.pages)
    bob.append("# typed\n")
    edit = json.dumps("kept = []"), json.dumps("kept = list()\n    other = 1")
    turn = two.ask(f"fs replace clean.py {edit[0]} {edit[1]}")
    whole = two.workspace.clean_py
    assert whole.count("other = 1") == 1
    assert whole.endswith("# typed\n")
    assert [file["path"] for file in turn["changes"]["files"]] == ["clean.py"]
    each((ada, bob), lambda file: file.text == whole, "both see what is on disk")
    # The change is of the page that made it, and is undone there.
    bob.undo()
    undone = f"{CLEAN_PY}# typed\n"
    each((ada, bob), lambda file: file.text == undone, "it is undone for both")

    # An agent's own tool, while one of them types on.
    two.ask(
        'own replace clean.py "def clean" "# By a tool.\\ndef clean"',
        lambda: bob.append("# typed on\n"),
    )
    whole = f"# By a tool.\n{undone}# typed on\n"
    each((ada, bob), lambda file: file.text == whole, "it is taken in, and nothing is lost")
    eventually(lambda: two.workspace.clean_py == whole, what="it is saved")
    two.expect_no_questions(path)


def test_an_agent_rewrites_a_notebook_that_two_have_open(two: Two) -> None:
    path = two.workspace.notebook("print('kept')", "b = 1", "c = 1")
    ada, bob = two.open(path)
    ada.run_to_end(0)
    expect(bob.output(0)).to_contain_text("kept")

    bob.set_source(1, "b = 'typed'")
    two.ask('fs replace nb.ipynb "c = 1" "c = \'by the agent\'"')
    wanted = ["print('kept')", "b = 'typed'", "c = 'by the agent'"]
    each((ada, bob), lambda notebook: sources(notebook) == wanted, "both see it")
    assert [cell.source for cell in ada.read().cells] == wanted

    two.expect_known(path)
    # Its own tool writes the whole file anew and leaves the outputs out, as one types on.
    content = ada.read()
    content.cells[0].outputs = []
    content.cells[2].source = "c = 'anew'"
    text = json.dumps(nbformat.writes(content))  # type: ignore[no-untyped-call]
    two.ask(f"own write nb.ipynb {text}", lambda: bob.set_source(1, "b = 'typed on'"))
    wanted = ["print('kept')", "b = 'typed on'", "c = 'anew'"]
    each((ada, bob), lambda notebook: sources(notebook) == wanted, "nothing is lost")
    for notebook in (ada, bob):
        expect(notebook.output(0)).to_contain_text("kept")
    eventually(lambda: [cell.source for cell in ada.read().cells] == wanted, what="it is saved")
    assert ada.read().cells[0].outputs[0].text == "kept\n"
    two.expect_no_questions(path)


def test_an_agent_works_in_the_notebook_of_two(two: Two) -> None:
    path = two.workspace.notebook(
        "%load_ext acp_jupyter\nprices = [3, 1, 2]",
        "%%acp demo --policy allow-all\nplot prices",
        "count = len(prices)",
    )
    ada, bob = two.open(path)
    ada.run_to_end(0)
    ada.run(1)
    bob.set_source(2, "count = 3  # typed")
    for notebook in (ada, bob):
        expect(notebook.turn(1).text(re.compile("I see the plot: a PNG of"))).to_be_visible()
        expect(notebook.output(2).locator("img")).to_have_count(1)
        expect(notebook.cell(3)).to_contain_text("# typed")
    ada.wait_for_end(1)
    ada.saved_output(1)
    each((ada, bob), lambda notebook: len(notebook.outputs(1)) == 1, "one record")
    for notebook in (ada, bob):
        assert len(sources(notebook)) == 4
        expect(notebook.cell(1).get_by_role("log")).to_have_count(1)
    saved = ada.read()
    assert len(saved.cells[1].outputs) == 1
    assert len(saved.cells[2].outputs) == 1
    two.expect_no_questions(path)
