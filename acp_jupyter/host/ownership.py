"""Which server owns a session's folder: several may share one data folder."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
import uuid
from pathlib import Path

from acp_jupyter.host.limits import Limits

__all__ = ["Ownership"]

_OWNER_FILE = "owner"
_SETTLE_SECONDS = 0.05
_MISSED_BEATS = 4


class Ownership:
    """A sign of life of this program, and marks in the folders that it owns.

    Everything here touches the disk: it is called in threads.

    Parameters
    ----------
    data_dir
        Where all session folders lie; perhaps on a network, perhaps of several machines.
    limits
        See `Limits`.
    """

    def __init__(self, data_dir: Path, limits: Limits) -> None:
        self._id = uuid.uuid4().hex
        self._folder = data_dir / "servers"
        self._beat_seconds = limits.heartbeat_seconds
        self._owned: set[Path] = set()
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self, folder: Path) -> str:
        """Own a session's folder; return who owns it instead, in words, or an empty string."""
        with self._lock:
            self._live()
        mark = folder / _OWNER_FILE
        try:
            with mark.open("x", encoding="utf-8") as file:
                file.write(self._id)
        except FileExistsError:
            other = self._alive_owner(mark)
            if other:
                return other
            self._take_over(mark)
            time.sleep(_SETTLE_SECONDS)  # another program may do the same just now
            other = self._alive_owner(mark)
            if other:
                return other
        except OSError as error:
            return f"Its folder can't be written: {error.strerror or error}."
        self._owned.add(folder)
        return ""

    def release(self, folder: Path) -> None:
        """Own a folder no more."""
        self._owned.discard(folder)
        with contextlib.suppress(OSError):
            if (folder / _OWNER_FILE).read_text(encoding="utf-8") == self._id:
                (folder / _OWNER_FILE).unlink()

    def close(self) -> None:
        """Release what is left, and give no more sign of life."""
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
        self._beat()
        self._forget_the_dead()
        self._thread = threading.Thread(target=self._run, name="acp-heartbeat", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(self._beat_seconds):
            with contextlib.suppress(OSError):  # a full disk must not end it
                self._beat()

    def _beat(self) -> None:
        sign = {"pid": os.getpid(), "host": socket.gethostname()}
        self._sign.write_text(json.dumps(sign), encoding="utf-8")

    def _forget_the_dead(self) -> None:
        for sign in self._folder.glob("*.json"):
            if not self._is_alive(sign):
                with contextlib.suppress(OSError):
                    sign.unlink()

    def _alive_owner(self, mark: Path) -> str:
        """Return the words for another owner that lives, or an empty string."""
        try:
            owner = mark.read_text(encoding="utf-8").strip()
        except OSError:
            return ""
        if owner == self._id or not self._is_alive(self._folder / f"{owner}.json"):
            return ""
        return "This session is open in another server. You can read it here."

    def _is_alive(self, sign: Path) -> bool:
        try:
            age = time.time() - sign.stat().st_mtime
            told = json.loads(sign.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        if age > _MISSED_BEATS * self._beat_seconds or not isinstance(told, dict):
            return False
        return told.get("host") != socket.gethostname() or _runs(told.get("pid"))

    def _take_over(self, mark: Path) -> None:
        mine = mark.with_name(f"{_OWNER_FILE}.{self._id}")
        with contextlib.suppress(OSError):
            mine.write_text(self._id, encoding="utf-8")
            mine.replace(mark)


def _runs(pid: object) -> bool:
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
