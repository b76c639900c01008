"""Ownership of session folders, where several servers share one data folder.

A folder belongs to the process that locks its mark file, as long as that lives. Between machines,
where locks may not work, it belongs to the server that marked it last, until that has missed
some heartbeats.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
import uuid
from pathlib import Path

import psutil

from acp_jupyter.errors import plain_reason
from acp_jupyter.host.limits import Limits
from acp_jupyter.system.locks import lock

OWNER_FILE = "owner"
"""In each folder that a server owns."""
_SETTLE_SECONDS = 0.05
_MISSED_BEATS = 4
_MARK_BYTES = 200
_CLOCK_SECONDS = 2.0
ELSEWHERE = "This session is open in another server. You can read it here."
"""Message of `Ownership.take` for a folder that another running server owns."""


class Ownership:
    """The program's heartbeat file, and its mark files in the session folders that it owns.

    All methods touch the disk, so they are called in threads.

    Parameters
    ----------
    data_dir
        Folder with all session folders; may be a network folder that machines share.
    """

    def __init__(self, data_dir: Path, limits: Limits) -> None:
        self._id = uuid.uuid4().hex
        self._folder = data_dir / "servers"
        self._beat_seconds = limits.heartbeat_seconds
        self._owned: dict[Path, int] = {}
        """Descriptors of the locked mark files, by folder."""
        self._lost: set[Path] = set()
        self._gone: set[Path] = set()
        self._looked = time.time()
        self._signed = False
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self, folder: Path) -> str:
        """Take ownership of a session's folder; return a message about another owner, or ``""``."""
        try:
            with self._lock:
                self._live()
                return self._take(folder)
        except OSError as error:
            return f"Its folder can't be written: {plain_reason(error)}. You can read it here."

    def _take(self, folder: Path) -> str:
        if folder in self._owned:
            return ""
        mark = folder / OWNER_FILE
        held = _hold(mark)
        if held is None:
            return ELSEWHERE
        try:
            former = os.read(held, _MARK_BYTES).decode(errors="replace").strip()
            if self._lives(former):
                return ELSEWHERE
            os.ftruncate(held, 0)
            os.lseek(held, 0, os.SEEK_SET)
            os.write(held, self._id.encode())
            if former:
                time.sleep(_SETTLE_SECONDS)  # another machine may be doing the same now
                if self._lives(mark.read_text(encoding="utf-8")):
                    return ELSEWHERE
            self._owned[folder] = held
            held = -1
        finally:
            if held >= 0:
                os.close(held)
        self._lost.discard(folder)
        self._gone.discard(folder)
        return ""

    def why_not_delete(self, folder: Path) -> str:
        """Return why a folder can't be deleted, or ``""``. Needs no space on the disk."""
        if folder in self._owned:
            return ""
        try:
            held = _hold(folder / OWNER_FILE)
        except OSError as error:
            return f"Its folder can't be written: {plain_reason(error)}."
        if held is None:
            return ELSEWHERE
        try:
            former = os.read(held, _MARK_BYTES).decode(errors="replace")
        finally:
            os.close(held)
        return ELSEWHERE if self._lives(former) else ""

    def owns(self, folder: Path) -> bool:
        """Return whether a folder is still owned by this program. Callable in any thread."""
        if time.time() - self._looked > 2 * self._beat_seconds:
            self.read_marks()  # the machine was suspended
        return folder not in self._lost

    def read_marks(self) -> tuple[frozenset[Path], frozenset[Path]]:
        """Read the mark files in the owned folders."""
        with self._lock:
            for folder in tuple(self._owned):
                try:
                    owner = (folder / OWNER_FILE).read_text(encoding="utf-8").strip()
                except FileNotFoundError:
                    self._gone.add(folder)
                    self._release(folder)
                    continue
                except OSError:
                    continue
                if owner != self._id:
                    self._lost.add(folder)
                    self._release(folder)
            self._looked = time.time()
            return frozenset(self._lost), frozenset(self._gone)

    def mark_lost(self, folder: Path) -> None:
        """Note that another server owns the folder of a session that is open here."""
        with self._lock:
            self._lost.add(folder)

    def release(self, folder: Path) -> None:
        """Give up ownership of a folder."""
        self._lost.discard(folder)
        self._gone.discard(folder)
        if folder not in self._owned:
            return
        with contextlib.suppress(OSError):
            if (folder / OWNER_FILE).read_text(encoding="utf-8") == self._id:
                (folder / OWNER_FILE).unlink()
        self._release(folder)

    def _release(self, folder: Path) -> None:
        held = self._owned.pop(folder, -1)
        if held >= 0:
            os.close(held)

    def close(self) -> None:
        """Release all folders and stop the heartbeat."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(self._beat_seconds)
        for folder in tuple(self._owned):
            self.release(folder)
        with contextlib.suppress(OSError):
            self._sign.unlink()

    @property
    def _sign(self) -> Path:
        return self._folder / f"{self._id}.json"

    def _live(self) -> None:
        if self._thread is not None:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._heartbeat()
        self._forget_the_dead()
        self._thread = threading.Thread(target=self._run, name="acp-heartbeat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(self._beat_seconds):
            with contextlib.suppress(OSError):  # a full disk must not end it
                self._heartbeat()

    def _heartbeat(self) -> None:
        if self._signed:
            with contextlib.suppress(FileNotFoundError):
                os.utime(self._sign)  # needs no space; writing on a full disk leaves an empty file
                return
            self._signed = False
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sign = {"pid": os.getpid(), "host": socket.gethostname()}
        self._sign.write_text(json.dumps(sign), encoding="utf-8")
        self._signed = True

    def _forget_the_dead(self) -> None:
        for sign in self._folder.glob("*.json"):
            if not self._is_alive(sign):
                with contextlib.suppress(OSError):
                    sign.unlink()

    def _lives(self, owner: str) -> bool:
        """Return whether a mark file belongs to another running server."""
        name = owner.strip()
        if not name.isalnum() or name == self._id:
            return False
        return self._is_alive(self._folder / f"{name}.json")

    def _is_alive(self, sign: Path) -> bool:
        """Return whether a server runs; on this machine by its process, however late it beats."""
        try:
            seen = sign.stat().st_mtime
            owner = json.loads(sign.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        if not isinstance(owner, dict):
            return False
        if owner.get("host") == socket.gethostname():
            return _runs(owner.get("pid"), seen)
        return time.time() - seen <= _MISSED_BEATS * self._beat_seconds


def _hold(mark: Path) -> int | None:
    """Open and lock a mark file, until it is closed or this process ends; None if locked already.

    Where the disk has no locks, the file is only opened.
    """
    while True:
        held = os.open(mark, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            lock(held)
        except BlockingIOError:
            os.close(held)
            return None
        except OSError:
            return held
        # The last owner may have removed it meanwhile.
        with contextlib.suppress(FileNotFoundError):
            if mark.stat().st_ino == os.fstat(held).st_ino:
                return held
        os.close(held)


def _runs(pid: object, seen: float) -> bool:
    """Return whether a process runs that already ran at the time ``seen``."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        return psutil.Process(pid).create_time() <= seen + _CLOCK_SECONDS
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
