"""A web app of Python that shows a turn, served from a folder of its own."""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from playwright.sync_api import Page, Route

from tests.support.host.trusted_folders import trust_in_data_dir
from tests.support.kernel.cells import jupyter_environment
from tests.support.server.jupyter_server import free_port
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["WebApp", "marimo_settings", "without_network"]


class WebApp(AbstractContextManager["WebApp"]):
    """A program that serves an app until the end of the ``with`` block.

    Parameters
    ----------
    python
        Of the environment that the program is in.
    tmp_path
        Its folder is ``work`` in it.
    command
        The program and its words; ``{port}`` is its port.
    path
        The page of the app.
    record
        Whether it is recorded or replayed, as ``ACP_JUPYTER_RECORD`` says it.
    """

    def __init__(
        self, python: Path, tmp_path: Path, *command: str, path: str = "/", record: str = ""
    ) -> None:
        self.folder = tmp_path / "work"
        self.folder.mkdir(exist_ok=True)
        trust_in_data_dir(tmp_path / "data", tmp_path)
        self._port = free_port()
        self._command = [each.format(port=self._port) for each in command]
        self._command[0] = str(python.parent / self._command[0])
        self._log = tmp_path / "app.log"
        self._env = jupyter_environment(tmp_path) | {"ACP_JUPYTER_RECORD": record}
        del self._env["PYTHONPATH"]
        self._env["PATH"] = os.pathsep.join([str(python.parent), self._env["PATH"]])
        self.url = f"http://127.0.0.1:{self._port}{path}"

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command,
                cwd=self.folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        eventually(self._answers)
        return self

    def __exit__(self, *_exception: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def _answers(self) -> bool:
        assert self._process.poll() is None, self.log()
        try:  # no request for the page: it would run the app
            socket.create_connection(("127.0.0.1", self._port), 1).close()
        except OSError:
            return False
        return True


def marimo_settings(tmp_path: Path, theme: str = "light") -> None:
    """Let a notebook that is opened to edit run at once, in a theme."""
    config = tmp_path / "home" / ".config" / "marimo" / "marimo.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'[runtime]\nauto_instantiate = true\n[display]\ntheme = "{theme}"\n')


def without_network(page: Page, python: Path) -> None:
    """Give a page anywidget's module, which some hosts load from a CDN, and nothing else."""
    module = python.parents[1] / "share/jupyter/nbextensions/anywidget/index.js"

    def answer(route: Route) -> None:
        if route.request.url.startswith("http://127.0.0.1:"):
            route.continue_()
        elif "anywidget" in route.request.url:
            route.fulfill(path=module, content_type="text/javascript")
        else:
            route.abort()

    page.route("**", answer)
