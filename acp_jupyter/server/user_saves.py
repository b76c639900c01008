"""Reports to the host what people save, rename and delete: not changes of a turn.

The contents API and shared documents both save with Jupyter's contents manager.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict, deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.workspace.authors import changed_at
from acp_jupyter.host.workspace.running_turns import SavedFile

_MAX_OPEN = 100


@dataclass(frozen=True, slots=True)
class _Before:
    content: bytes | None
    at: float | None
    """The file's modification time."""


class ContentsManager(Protocol):
    """The part of Jupyter's contents manager that is used here."""

    event_schema_id: str
    event_logger: Any

    def register_pre_save_hook(self, hook: Any) -> None:
        """Register a function to call before each save."""

    def register_post_save_hook(self, hook: Any) -> None:
        """Register a function to call after each save."""


class UserSaves:
    """Listens to the contents manager. Used on the server's loop."""

    def __init__(
        self, contents: ContentsManager, host: AgentHost, root: Path, max_bytes: int
    ) -> None:
        self._host = host
        self._root = root
        self._max_bytes = max_bytes
        self._before: OrderedDict[str, deque[_Before]] = OrderedDict()
        """For each file the saves that have begun; saves may overlap."""
        contents.register_pre_save_hook(self._saving)
        contents.register_post_save_hook(self._saved)
        contents.event_logger.add_listener(
            schema_id=contents.event_schema_id, listener=self._happened
        )

    def _saving(self, model: Any, path: str, **_: Any) -> None:
        """Read the content that a save will replace, if a turn runs in its folder."""
        real = os.path.realpath(os.path.join(self._root, path.strip("/")))
        if model.get("type") != "directory" and self._host.running_turns.wants(real):
            begun = self._before.setdefault(real, deque(maxlen=_MAX_OPEN))
            begun.append(_Before(self._read(real), changed_at(real)))
            while len(self._before) > _MAX_OPEN:
                self._before.popitem(last=False)

    def _saved(self, model: Any, os_path: str, **_: Any) -> None:
        real = os.path.realpath(os_path)
        begun = self._before.get(real)
        if begun:
            before = begun.popleft()
            self._notify(SavedFile(real, before.content, self._read(real), at=before.at))
        if not begun:
            self._before.pop(real, None)

    async def _happened(self, logger: Any, schema_id: str, data: Any) -> None:
        match data:
            case {"action": "delete", "path": str(path)}:
                real = self._real(path)
                if self._host.running_turns.wants(real):
                    self._notify(SavedFile(real, b"", None))
            case {"action": "rename", "path": str(path), "source_path": str(source)}:
                real, old = self._real(path), self._real(source)
                if self._host.running_turns.wants(real) or self._host.running_turns.wants(old):
                    after = await asyncio.to_thread(self._read, real)
                    self._notify(SavedFile(old, b"", after, moved_to=real))
            case _:
                pass

    def _notify(self, saved: SavedFile) -> None:
        self._host.submit(self._host.running_turns.take(saved))

    def _real(self, path: str) -> str:
        whole = os.path.join(self._root, path.strip("/"))
        # The file may be missing by now, or a link that is replaced.
        return os.path.join(os.path.realpath(os.path.dirname(whole)), os.path.basename(whole))

    def _read(self, path: str) -> bytes | None:
        """Return a file's bytes, cut off at the limit; None if it can't be read."""
        try:
            with open(path, "rb") as file:
                return file.read(self._max_bytes)
        except OSError:
            return None
