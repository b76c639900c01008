"""Locks on open files: held by one, shared by many, gone with the process that holds them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_jupyter.system.locks import lock


def opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def test_one_holds_a_lock_until_it_closes_the_file(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "lock"), opened(tmp_path / "lock")
    lock(first)
    for shared in (False, True):
        with pytest.raises(BlockingIOError, match="locked by somebody else"):
            lock(second, shared=shared)
    os.close(first)
    lock(second)
    os.close(second)


def test_those_who_share_it_hold_it_together(tmp_path: Path) -> None:
    files = [opened(tmp_path / "lock") for _ in range(3)]
    lock(files[0], shared=True)
    lock(files[1], shared=True)
    with pytest.raises(BlockingIOError):
        lock(files[2])
    for file in files:
        os.close(file)


def test_what_can_not_be_locked_is_an_error() -> None:
    read, write = os.pipe()
    os.close(read)
    os.close(write)
    with pytest.raises(OSError, match="can't be locked"):
        lock(read)


_HOLDS = """
import os, sys
from acp_jupyter.system.locks import lock
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
lock(fd)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    file = opened(tmp_path / "lock")
    with subprocess.Popen(
        (sys.executable, "-c", _HOLDS, str(tmp_path / "lock")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(BlockingIOError):
            lock(file)
        other.kill()
        lock(file, wait=True)
    os.close(file)
