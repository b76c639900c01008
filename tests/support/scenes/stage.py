"""A project in a page, whose agent plays what a test writes."""

from __future__ import annotations

from pathlib import Path

from tests.support.browser.lab import LabPage
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import PanelView, TurnView
from tests.support.kernel.notebook_file import new_notebook, write_notebook
from tests.support.scenes.cleaning import FILES
from tests.support.scenes.steps import Step, go_on, put_scene

__all__ = ["LOAD", "Stage"]

LOAD = "%load_ext acp_jupyter"


class Stage:
    """A folder with files to work on; turns in cells and in the panel play its scene.

    Parameters
    ----------
    lab
        Where it is opened.
    name
        Of the folder, below the server's root; it is made.
    """

    def __init__(self, lab: LabPage, name: str) -> None:
        self.lab = lab
        self.name = name
        self.folder: Path = lab.server.root / name
        self.folder.mkdir(exist_ok=True)
        self.reset()

    def reset(self) -> None:
        """Write the files as they are before a turn."""
        for path, text in FILES.items():
            (self.folder / path).parent.mkdir(exist_ok=True)
            (self.folder / path).write_text(text)

    def open(self, *sources: str, name: str = "analysis.ipynb") -> OpenNotebook:
        """Open a notebook; its first cell loads the extension."""
        write_notebook(self.folder / name, new_notebook(LOAD, *sources))
        nb = self.lab.open(f"{self.name}/{name}")
        nb.load_extension()
        return nb

    def play(self, nb: OpenNotebook, index: int, steps: list[Step]) -> TurnView:
        """Run a cell, whose turn plays these steps."""
        put_scene(self.folder, steps)
        return nb.run(index)

    def say(self, panel: PanelView, words: str, steps: list[Step]) -> None:
        """Send a message, whose turn plays these steps."""
        put_scene(self.folder, steps)
        panel.say(words)

    def go_on(self, name: str) -> None:
        """End a hold of the scene."""
        go_on(self.folder, name)
