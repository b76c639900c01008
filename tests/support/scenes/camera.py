"""A server with few agents, and pictures of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator

from tests.support.agents.fake_agent import script
from tests.support.browser.accessibility import expect_accessible, expect_all_inside, picture
from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.scenes.stage import Stage
from tests.support.scenes.steps import player
from tests.support.server.jupyter_server import JupyterServer, fake_agents
from tests.support.server.jupyterlab_server import LAB_ARGS

__all__ = ["Camera", "studio"]


@contextmanager
def studio(folder: Path) -> Iterator[JupyterServer]:
    """Start a JupyterLab one of whose agents plays scenes; the folders of cameras are trusted."""
    agents = {
        "claude": player("Claude"),
        "gemini": {**script("wants_login", "terminal"), "name": "Gemini"},
        **fake_agents("dies_mid_turn", "never_new_session"),
        "codex": {"command": "no-such-agent-command", "name": "Codex"},
    }
    trusted = [folder / "root" / f"analysis-{theme}" for theme in ("light", "dark")]
    with JupyterServer(
        folder,
        app="jupyterlab",
        agents=agents,
        args=LAB_ARGS,
        env={"HOME": str(folder / "root")},
        trusted=trusted,
    ) as running:
        yield running


class Camera:
    """Takes pictures of a page in a theme.

    In none of them anything may stick out of its view, and axe finds nothing.
    """

    def __init__(self, lab: LabPage, theme: str) -> None:
        self.lab = lab
        self.theme = theme
        self.stage = Stage(lab, f"analysis-{theme.lower()}")
        lab.page.set_viewport_size({"width": 1280, "height": 860})

    def open(self, *sources: str, stage: Stage | None = None) -> OpenNotebook:
        """Open a notebook in the theme, without the file browser."""
        nb = (stage or self.stage).open(*sources)
        self.lab.use_theme(f"JupyterLab {self.theme}")
        self.lab.command("application:toggle-left-area")
        return nb

    def take(self, name: str, shown: Locator | None = None) -> None:
        picture(self.lab.page if shown is None else shown, f"{name}-{self.theme.lower()}")
        expect_all_inside(self.lab.page)
        expect_accessible(self.lab.page)
