"""What the copies of a large folder cost, in which variants of a prompt work.

``TMPDIR`` says on which file system: it shares files with their copies, or they are copied.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acp_jupyter.api.access import UserCaller
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from tests.support.agents.fake_agent import script
from tests.support.host.commands import ADAPTER, CommandSender
from tests.support.host.trusted_folders import trusting
from tests.support.wait import eventually

__all__ = ["FolderCopies", "measure_copies"]

_USER = UserCaller("ada")
_STEPS = 5
"""So often the folder has grown: of new files a checkpoint takes 512 MB at most."""
_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class FolderCopies:
    """Of a folder whose files are in a checkpoint already."""

    files: int
    file_bytes: int
    stored_seconds: float
    """From the last new files to the first copy: they are stored, and all is copied."""
    again_seconds: float
    """The same when nothing has changed since."""
    copy_seconds: float
    """Of one more copy."""
    copy_bytes: int
    """By which the disk has less room after it."""
    unchanged: bool
    """The folder, the store and the other copy, after a file was appended to in place."""


def measure_copies(folder: Path, files: int = 2_000, file_bytes: int = 1_000_000) -> FolderCopies:
    """Let a folder grow, copy it, and append to a file of a copy."""
    root = folder / "ws"
    root.mkdir(parents=True)
    with _door(folder, root) as sender:
        for step in range(_STEPS):
            for number in range(step, files, _STEPS):
                (root / f"{number:05}.bin").write_bytes(os.urandom(file_bytes))
            stored_seconds, session = _timed(sender)
            _close(sender, session)
        again_seconds, first = _timed(sender)
        os.sync()
        before = _free(folder)
        copy_seconds, second = _timed(sender, first)
        os.sync()
        copy_bytes = before - _free(folder)
        held = [root, Path(first.state.cwd), *folder.glob("data/checkpoints/*/objects")]
        hashes = [_hashes(each) for each in held]
        changed = Path(second.state.cwd) / "00000.bin"
        sender.prompt(second, "append 00000.bin more\nwait")
        eventually(lambda: changed.stat().st_size == file_bytes + 4)
        # The turn stores what it begins with; nothing that was there may be another.
        after = [_hashes(each) for each in held]
        unchanged = all(hashes) and all(
            one.items() <= other.items() for one, other in zip(hashes, after, strict=True)
        )
        for session in (first, second):
            _close(sender, session)
    return FolderCopies(
        *(files, file_bytes, stored_seconds, again_seconds, copy_seconds, copy_bytes, unchanged)
    )


@contextmanager
def _door(folder: Path, root: Path) -> Iterator[CommandSender]:
    agents = Registry({"own": script("own_tools")}, [])
    host = AgentHost(HostConfig(agents, root, folder / "data", trust=trusting(folder)))
    host.start()
    try:
        yield CommandSender(host, root)
    finally:
        host.stop()


def _timed(sender: CommandSender, beside: Session | None = None) -> tuple[float, Session]:
    """Make a variant: the first of a prompt, or one more."""
    variant = None if beside is None else beside.state.variant
    try_id = "" if variant is None else variant.try_id
    begun = time.perf_counter()
    state = _send(sender, "create_variant", agent="own", try_id=try_id)
    seconds = time.perf_counter() - begun
    return seconds, sender.host.sessions[state.session_id]


def _close(sender: CommandSender, session: Session) -> None:
    _send(sender, "delete_session", session_id=session.session_id)
    eventually(lambda: not Path(session.state.cwd).exists())


def _send(sender: CommandSender, name: str, **fields: str) -> Any:
    command = ADAPTER.validate_python({"name": name, **fields})
    return sender.host.submit(sender.dispatcher.handle(command, _USER)).result(_SECONDS)


def _free(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def _hashes(folder: Path) -> dict[Path, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in files}
