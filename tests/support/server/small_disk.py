"""A disk for some folders of a server, which can be filled, freed and made read-only."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Self

__all__ = ["SmallDisk", "no_file_grows"]

_BYTES = 8 * 1024 * 1024
_PIECE = 64 * 1024


class SmallDisk(AbstractContextManager["SmallDisk"]):
    """Mount it with ``with``; who may not mount gets limits and modes that come to the same.

    Parameters
    ----------
    folders
        Each is one; they are made.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._mounted: list[Path] = []

    def __enter__(self) -> Self:
        for folder in self._folders:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _ran("mount", "-t", "tmpfs", "-o", f"size={_BYTES},mode=0700", "tmpfs", folder):
                self._mounted.append(folder)
        return self

    def __exit__(self, *_exception: object) -> None:
        for folder in self._mounted:
            assert _ran("umount", folder) or _ran("umount", "-l", folder)

    @contextmanager
    def full(self, pid: int) -> Iterator[Callable[[], None]]:
        """Let nothing more fit, for a process at the least; yield what takes new room away."""
        if not self._mounted:
            with no_file_grows(pid):
                yield lambda: None
            return
        fillers = [folder / "filler" for folder in self._mounted]

        def fill() -> None:
            for filler in fillers:
                _fill(filler)

        try:
            fill()
            yield fill
        finally:
            for filler in fillers:
                filler.unlink(missing_ok=True)

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Let nothing be written. No file may be open for writing."""
        if self._mounted:
            for folder in self._mounted:
                assert _ran("mount", "-o", "remount,ro", folder)
            try:
                yield
            finally:
                for folder in self._mounted:
                    assert _ran("mount", "-o", "remount,rw", folder)
            return
        places = [place for folder in self._folders for place in (folder, *folder.rglob("*"))]
        modes = [(place, place.stat().st_mode) for place in places]
        try:
            for place, mode in modes:
                place.chmod(mode & ~0o222)
            yield
        finally:
            for place, mode in modes:
                place.chmod(mode)


@contextmanager
def no_file_grows(pid: int, beyond: int = 0) -> Iterator[None]:
    """Let no file of a process grow beyond so many bytes, as on a full disk."""
    soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (beyond, hard))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


def _fill(filler: Path) -> None:
    """Take all of it, down to the last page."""
    with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"\0" * _PIECE):
            os.fsync(file.fileno())


def _ran(*command: str | Path) -> bool:
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False
