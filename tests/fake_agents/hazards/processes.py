"""Processes that do not live or die as they should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import NoReturn

from _wire import Json, Wire

from hazards.mode import Mode, hello, new_session

__all__ = ["MODES"]


def child_holds_pipes(wire: Wire, session_id: str, _: str) -> str:
    child = subprocess.Popen(["sleep", "600"])
    wire.text(session_id, f"child {child.pid}")
    os._exit(7)


def child_left(wire: Wire, session_id: str, _: str) -> str:
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    wire.text(session_id, f"child {child.pid}")
    return "end_turn"


def orphan_grandchild(wire: Wire, session_id: str, _: str) -> str:
    """Leave a process that ignores SIGTERM, in a session of its own, with init for parent."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in (0, 1, 2):
                os.close(fd)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(write, str(os.getpid()).encode())
            os.close(write)
            while True:
                signal.pause()
        os._exit(0)
    os.close(write)
    os.wait()
    wire.text(session_id, f"orphan {os.read(read, 20).decode()}")
    return "end_turn"


def complain(wire: Wire) -> None:
    """Write 300 kB to stderr."""
    del wire
    for number in range(3000):
        sys.stderr.write(f"{number:05d} " + "x" * 93 + "\n")
    sys.stderr.write("the last words\n")
    sys.stderr.flush()


def chatty(wire: Wire, session_id: str, _: str) -> str:
    complain(wire)
    return hello(wire, session_id, _)


def hear_no_more() -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def stdin_closed(wire: Wire, session_id: str, _: str) -> str:
    """Close stdin in a turn, and live on."""
    wire.text(session_id, "I hear nothing.")
    os.close(0)
    hear_no_more()


def deaf(wire: Wire, message: Json) -> None:
    """Read nothing after session/new."""
    new_session(wire, message)
    hear_no_more()


def stdout_closed(wire: Wire, session_id: str, _: str) -> str:
    wire.text(session_id, "I say no more.")
    os.close(1)
    while True:
        signal.pause()


def ignores_eof(wire: Wire) -> None:
    """Live on when stdin ends and when asked to terminate (codex)."""
    del wire
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        return
    while True:
        signal.pause()


MODES = {
    "child_holds_pipes": Mode(child_holds_pipes),
    "child_left": Mode(child_left),
    "orphan_grandchild": Mode(orphan_grandchild),
    "chatty_stderr": Mode(chatty, on_start=complain),
    "stdin_closed": Mode(stdin_closed),
    "stdout_closed": Mode(stdout_closed),
    "deaf": Mode(new=deaf),
    "ignores_eof": Mode(on_start=ignores_eof),
}
