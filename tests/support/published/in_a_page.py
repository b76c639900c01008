"""A published agent in JupyterLab: its model, the page, and what was asked of the user there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Error as PlaywrightError

from tests.support.browser.chromium import Visitor
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.mockllm import FakeModel
from tests.support.mockllm.parts import Say, Steps, Use
from tests.support.published.programs import PUBLISHED, Published, processes_of
from tests.support.server.jupyter_server import JupyterServer
from tests.support.server.jupyterlab_server import LAB_ARGS
from tests.support.server.workspace import Workspace
from tests.support.wait import eventually

__all__ = ["AGENTS", "YES", "Place", "place_in_the_page"]

AGENTS = [
    pytest.param(agent, id=agent.agent_id)
    for agent in PUBLISHED
    if agent.agent_id in {"opencode", "claude"}
]
"""How long an agent may take to its first call, on a busy machine."""
YES = re.compile(r"^(Yes|Allow)$")
"""How agents and we name the answer for this once."""


@dataclass(frozen=True)
class Place:
    """A JupyterLab whose agent is a published one."""

    agent: Published
    model: FakeModel
    lab: LabPage

    def workspace(self, name: str) -> Workspace:
        """Make a folder that is trusted, as by a session before."""
        workspace = Workspace(self.lab.server.root, name)
        asked = {"agent": self.agent.agent_id, "cwd": name, "trust": True, "start": "lazy"}
        with self.lab.server.user() as user:
            made = user.post("sessions", json=asked).raise_for_status().json()
            user.delete(f"sessions/{made['session_id']}").raise_for_status()
        return workspace

    def plays(self, name: str, *tools: tuple[str, dict[str, Any]]) -> str:
        """Have the model use tools of the notebook, one a request; return its prompt."""
        search = self.agent.searches(*(tool for tool, _ in tools))
        uses: Steps = [[Use([rf"{tool}$"], given, exact=True)] for tool, given in tools]
        steps: Steps = [*search, *uses, [Say("That is done.")]]
        self.model.scripts[name] = lambda: steps
        return f"[[mock scenario={name}]]"

    def run(self, nb: OpenNotebook, index: int, prompt: str) -> None:
        """Send a prompt by a cell, and say yes to what is asked."""
        turn = nb.run(index, f"%%acp {self.agent.agent_id}\n{prompt}")
        expect(nb.prompt_mark(index)).to_contain_text("*")

        def ended() -> bool:
            for yes in turn.permission.get_by_role("button", name=YES).all():
                with suppress(PlaywrightError):  # it may have gone meanwhile
                    yes.click(timeout=2_000)
            return "*" not in nb.prompt_mark(index).inner_text()

        eventually(ended, "the turn's end")

    def outcomes(self, title: str) -> list[str]:
        """Return how the permission requests of the session with that title were answered."""
        with self.lab.server.user() as user:
            (found,) = [s for s in user.get("sessions").json() if s["title"] == title]
            items = f"sessions/{found['session_id']}/items"
            page = user.get(items, params={"start": 0, "end": 500}).raise_for_status().json()
        calls = [item for item in page["items"] if item["kind"] == "tool_call"]
        return [call["permission"]["outcome"] for call in calls if call["permission"]]


@contextmanager
def place_in_the_page(agent: Published, folder: Path, browser: Browser) -> Iterator[Place]:
    home = folder / "agent-home"
    home.mkdir()
    with FakeModel() as model:
        agents = {agent.agent_id: agent.entry(home, model)}
        with JupyterServer(folder, app="jupyterlab", agents=agents, args=LAB_ARGS) as server:
            visitor = Visitor(browser, folder / "traces", traced=False)
            yield Place(agent, model, LabPage(visitor, server))
            visitor.close()
        eventually(lambda: not processes_of(home), "processes of the agent are left")
