"""A published agent in a real browser: in a cell, and for somebody who has just installed us."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.chromium import Visitor
from tests.support.browser.keyboard import InputCount
from tests.support.browser.lab import LabPage
from tests.support.mockllm import FakeModel
from tests.support.published.authors_told import ToldAuthors
from tests.support.published.programs import PROGRAMS, PUBLISHED, opencode_settings, processes_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

pytestmark = pytest.mark.agents


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
            visitor = Visitor(browser, tmp_path / "traces")
            workspace = Workspace(server.root, "cell")
            file = workspace.folder / "hello.py"
            prompt = f"[[mock scenario=write_file cwd={workspace.folder}]] Write it."
            lab = LabPage(visitor, server)
            path = workspace.notebook("%load_ext acp_jupyter", f"%%acp opencode\n{prompt}")
            notebook = lab.open(path)
            notebook.load_extension()
            turn = notebook.run(1)
            # The agent starts with its first prompt, which takes seconds.
            turn.permission.wait_for()
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
        eventually(lambda: not processes_of(home), "processes of the agent are left")


@pytest.mark.long
def test_a_newcomer_who_has_opencode_needs_three_clicks(
    tmp_path: Path, browser: Browser, told: ToldAuthors
) -> None:
    """Nothing is configured, no folder is trusted: from the open notebook to the first answer."""
    settings = tmp_path / "home" / ".config" / "opencode" / "opencode.json"
    settings.parent.mkdir(parents=True)
    with FakeModel() as model:
        settings.write_text(opencode_settings(model))
        env = {"PATH": os.pathsep.join((str(PROGRAMS), os.environ["PATH"]))}
        with JupyterServer(
            tmp_path, app="jupyterlab", args=LAB_ARGS, env=env, trusted=[]
        ) as server:
            visitor = Visitor(browser, tmp_path / "traces")
            lab = LabPage(visitor, server)
            page, effort = lab.page, InputCount(lab.page)
            notebook = Workspace(server.root, "first").notebook("x = 1")
            told.saved.add(server.root / notebook)
            lab.open(notebook).wait_for_kernel()
            effort.begin()
            page.locator(".jp-SideBar [data-id=acp-jupyter-panel]").click()
            root = page.locator("#acp-jupyter-panel")
            root.get_by_role("button", name="Start OpenCode").click()
            expect(root.get_by_role("textbox", name="Message")).to_be_focused()
            page.keyboard.type("[[mock scenario=hello]] Good morning")
            page.keyboard.press("Enter")
            trust = root.get_by_role("group", name="Folder trust")
            trust.get_by_role("button", name="Trust this folder").click()
            expect(root.get_by_role("log")).to_contain_text("Some Markdown.")
            assert effort.clicks <= 3
            visitor.close()
        eventually(lambda: not processes_of(tmp_path / "home"), "processes are left")
