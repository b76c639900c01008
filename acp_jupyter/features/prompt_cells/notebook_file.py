"""The file of a notebook that runs: what others change in it meanwhile is never overwritten."""

from __future__ import annotations

import itertools
import os
import stat
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from acp_jupyter.errors import BadRequest, plain_reason
from acp_jupyter.host.workspace.confined_files import replace_file
from acp_jupyter.system.open_folder import OpenFolder


class NotebookChanged(Exception):
    """Something else has changed the file, so it was not written."""


class NotebookFile:
    """Reads a notebook, and replaces its file as long as it is what was read or written last.

    Raises
    ------
    BadRequest
        The file is no notebook, or can't be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._real = Path(os.path.realpath(path))
        try:
            self._known = self._real.read_bytes()
        except OSError as error:
            raise BadRequest(f"{path} can't be read: {plain_reason(error)}.") from error
        try:
            read = _parsed(self._known)
            # Each cell gets an id, as older notebooks have none.
            self.notebook: NotebookNode = nbformat.validator.normalize(read)[1]
        except (ValueError, KeyError, AttributeError, nbformat.reader.NotJSONError):
            raise BadRequest(f"{path} is no notebook.") from None

    def take_in(self, cell_id: str) -> NotebookNode | None:
        """Return what the agent of a prompt cell has made of the notebook; None for no change.

        None also if that is no notebook with the cell: then the file is left as it is.
        """
        try:
            present = self._real.read_bytes()
            if present == self._known:
                return None
            notebook: NotebookNode = _parsed(present)
        except (OSError, ValueError, nbformat.reader.NotJSONError):
            return None
        if not any(cell.get("id") == cell_id for cell in notebook.cells):
            return None
        self._known = present
        return notebook

    def save(self) -> None:
        """Replace the file, in one step.

        Raises
        ------
        NotebookChanged
            Something else has changed it, or removed it.
        """
        data = _encoded(self.notebook)
        folder = None
        try:
            if self._real.read_bytes() != self._known:
                raise NotebookChanged
            folder = OpenFolder(str(self._real.parent))
            mode = stat.S_IMODE(folder.lstat(self._real.name).st_mode)
            replace_file(folder, self._real.name, data, mode)
        except FileNotFoundError:
            raise NotebookChanged from None
        except OSError as error:
            raise BadRequest(f"{self._path} can't be written: {plain_reason(error)}.") from error
        finally:
            if folder is not None:
                folder.close()
        self._known = data

    def save_at_end(self) -> str:
        """Save it; if something else has changed the file, beside it. Return that as a sentence."""
        try:
            self.save()
        except NotebookChanged:
            beside = self._save_beside()
            return (
                f"Something else has changed {self._path} while it ran, so it was left as it is. "
                f"The outputs are in {beside}."
            )
        return ""

    def _save_beside(self) -> Path:
        for number in itertools.count(1):
            path = self._path.with_name(f"{self._path.stem}-run-{number}.ipynb")
            try:
                with path.open("xb") as file:
                    file.write(_encoded(self.notebook))
            except FileExistsError:
                continue
            except OSError as error:
                raise BadRequest(f"{path} can't be written: {plain_reason(error)}.") from error
            return path
        raise AssertionError


def _parsed(content: bytes) -> Any:
    return nbformat.reads(content.decode("utf-8-sig"), 4)  # type: ignore[no-untyped-call]


def _encoded(notebook: NotebookNode) -> bytes:
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return f"{text.rstrip()}\n".encode()
