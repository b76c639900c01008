"""A published agent in a notebook cell, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import Visitor
from tests.support.lab import LabPage
from tests.support.lab_server import LAB_ARGS
from tests.support.mockllm import FakeModel
from tests.support.published import PUBLISHED, processes_of
from tests.support.server import JupyterServer
from tests.support.wait import eventually
from tests.support.workspace import Workspace

pytestmark = [pytest.mark.agents, pytest.mark.timeout(120)]


@pytest.mark.long
def test_it_writes_a_file_after_a_click_and_the_notebook_keeps_the_turn(
    tmp_path: Path, browser: Browser
) -> None:
    home = tmp_path / "home"
    with FakeModel() as model:
        home.mkdir()
        opencode = next(agent for agent in PUBLISHED if agent.agent_id == "opencode")
        agents = {"opencode": opencode.entry(home, model)}
        with JupyterServer(tmp_path, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
            visitor = Visitor(browser, tmp_path / "traces", traced=False)
            workspace = Workspace(server.root, "cell")
            file = workspace.folder / "hello.py"
            prompt = f"[[mock scenario=write_file cwd={workspace.folder}]] Write it."
            lab = LabPage(visitor, server)
            path = workspace.notebook("%load_ext acp_jupyter", f"%%acp opencode\n{prompt}")
            notebook = lab.open(path)
            notebook.load_extension()
            turn = notebook.run(1)
            # The agent starts with its first prompt, which takes seconds.
            turn.permission.wait_for(timeout=60_000)
            expect(turn.diff("hello.py").locator("ins").first).to_be_visible()
            assert not file.exists()
            turn.answer("Allow once")
            eventually(file.exists, what="the file is on disk")
            notebook.wait_for_end(1)
            expect(turn.root).to_contain_text("All done: finished the task.")
            text = notebook.saved_output(1)["data"]["text/markdown"]
            assert "All done: **finished** the task." in text
            assert "hello.py" in text
            assert str(workspace.folder) not in text.replace(prompt, "")
            visitor.close()
        eventually(lambda: not processes_of(home), 10, "processes of the agent are left")
