"""An IPython shell in the tests' own process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

__all__ = ["own_shell"]


@contextmanager
def own_shell(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """Make a shell that keeps its files in a folder, and leaves nothing behind."""
    monkeypatch.setenv("IPYTHONDIR", str(folder))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # a shell replaces it
    config = Config({"HistoryManager": {"enabled": False}, "Completer": {"use_jedi": False}})
    shell = InteractiveShell.instance(config=config)
    try:
        yield shell
    finally:
        shell.restore_sys_module_state()  # type: ignore[no-untyped-call]
        InteractiveShell.clear_instance()
