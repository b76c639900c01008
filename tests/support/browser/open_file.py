"""A text file that is open in an editor of JupyterLab."""

from __future__ import annotations

from typing import Any

from tests.support.browser.lab import LabPage

__all__ = ["OpenFile"]

_FIND = """path => [...jupyterapp.shell.widgets('main')]
  .find(w => w.context?.path === path)"""


class OpenFile:
    """A text file in an editor.

    Parameters
    ----------
    lab
        The page that opens it.
    path
        Relative to the server's root.
    """

    def __init__(self, lab: LabPage, path: str) -> None:
        self._page = lab.page
        self._path = path
        lab.command("docmanager:open", {"path": path, "factory": "Editor"})
        self._page.wait_for_function(f"path => ({_FIND})(path)?.context.isReady", arg=path)

    @property
    def text(self) -> str:
        return str(self._do("return context.model.toString();"))

    def append(self, words: str) -> None:
        self._do(
            "const shared = context.model.sharedModel;"
            " shared.updateSource(shared.source.length, shared.source.length, value);",
            words,
        )

    def cursor_to(self, line: int) -> None:
        self._do("content.editor.setCursorPosition({ line: value, column: 2 });", line)

    @property
    def cursor_line(self) -> int:
        return int(self._do("return content.editor.getCursorPosition().line;"))

    def undo(self) -> None:
        self._do("content.editor.undo();")

    def save(self) -> None:
        self._do("return context.save();")

    def is_dirty(self) -> bool:
        return bool(self._do("return context.model.dirty;"))

    def _do(self, deed: str, argument: Any = None) -> Any:
        return self._page.evaluate(
            f"([path, value]) => {{ const {{ context, content }} = ({_FIND})(path); {deed} }}",
            [self._path, argument],
        )
