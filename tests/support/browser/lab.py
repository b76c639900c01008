"""JupyterLab and Notebook 7 in a page, by their own commands."""

from __future__ import annotations

from typing import Any, Literal

from playwright.sync_api import Locator, Page, expect

from tests.support.browser.chromium import PageLog, Visitor
from tests.support.browser.open_notebook import OpenNotebook
from tests.support.browser.roles import PanelView
from tests.support.server.jupyter_server import JupyterServer

__all__ = ["LabPage"]


class LabPage:
    """One tab with JupyterLab, or with Notebook 7.

    Parameters
    ----------
    visitor
        Whose tab it is.
    server
        Where it goes.
    app
        Which frontend.
    """

    def __init__(
        self, visitor: Visitor, server: JupyterServer, app: Literal["lab", "notebook"] = "lab"
    ) -> None:
        self.server = server
        self._app = app
        self.page: Page
        self.log: PageLog
        self.page, self.log = visitor.page()

    # -- going places ----------------------------------------------------------

    def open(self, path: str) -> OpenNotebook:
        """Go to a notebook, with an empty workspace otherwise."""
        where = f"lab/tree/{path}?reset&" if self._app == "lab" else f"notebooks/{path}?"
        self.page.goto(f"{self.server.url}{where}token={self.server.token}")
        return self.notebook(path)

    def open_empty(self, folder: str) -> None:
        """Go to JupyterLab with nothing open, its file browser in a folder."""
        self.page.goto(f"{self.server.url}lab/tree/{folder}?reset&token={self.server.token}")
        self._wait_for_app()
        # It comes after the folder's listing, and takes the focus.
        self.page.wait_for_function(
            "document.querySelector('.jp-Launcher')?.contains(document.activeElement)"
        )

    def create_notebook(self, folder: str) -> OpenNotebook:
        """Make a notebook as the launcher does; nobody has saved it yet."""
        arguments = {"cwd": folder, "kernelName": "python3"}
        path = self.page.evaluate(
            "args => jupyterapp.commands.execute('notebook:create-new', args)"
            ".then(widget => widget.context.path)",
            arguments,
        )
        return self.notebook(str(path))

    def notebook(self, path: str) -> OpenNotebook:
        """Return a notebook that is open, or is being opened."""
        self._wait_for_app()
        notebook = OpenNotebook(self, path)
        notebook.wait_until_ready()
        return notebook

    def reload(self) -> None:
        """Press F5."""
        self.page.reload()
        self._wait_for_app()

    def close(self) -> None:
        """Close the tab; unsaved changes are gone."""
        self.page.close()

    def command(self, name: str, args: dict[str, Any] | None = None, *, wait: bool = True) -> None:
        """Execute a command of the frontend."""
        self.page.evaluate(
            """([name, args, wait]) => {
              const done = jupyterapp.commands.execute(name, args);
              return wait ? done.then(() => null) : (done.catch(() => null), null);
            }""",
            [name, args or {}, wait],
        )

    def _wait_for_app(self) -> None:
        self.page.wait_for_function(
            "window.jupyterapp && jupyterapp.restored && jupyterapp.restored.then(() => true)",
        )

    # -- what is in it ---------------------------------------------------------

    @property
    def panel(self) -> PanelView:
        """The side panel, shown."""
        root = self.page.locator("#acp-jupyter-panel")
        self.page.evaluate("jupyterapp.shell.activateById('acp-jupyter-panel')")
        expect(root).to_be_visible()
        return PanelView(root)

    def widen_panel(self, pixels: int) -> None:
        """Drag the edge of the side panel."""
        box = self.page.locator("#acp-jupyter-panel").bounding_box()
        assert box is not None
        x, y = box["x"] - 3, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x - pixels, y, steps=5)
        self.page.mouse.up()
        wide = box["width"] + pixels / 2
        self.page.wait_for_function(
            "wide => document.querySelector('#acp-jupyter-panel').clientWidth > wide", arg=wide
        )

    @property
    def notices(self) -> Locator:
        """JupyterLab's own notifications and dialogs."""
        return self.page.locator(".Toastify__toast, .jp-Dialog")

    def use_theme(self, name: str) -> None:
        """Switch the theme and wait until it is there."""
        self.command("apputils:change-theme", {"theme": name})
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)
