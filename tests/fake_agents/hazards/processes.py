"""Processes that do not live or die as they should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

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


def chatty(wire: Wire, session_id: str, _: str) -> str:
    for number in range(6000):
        sys.stderr.write(f"{number} " + "x" * 50 + "\n")
    sys.stderr.flush()
    return hello(wire, session_id, _)


def stdin_closed(wire: Wire, session_id: str, _: str) -> str:
    """Close stdin in a turn, and live on."""
    wire.text(session_id, "I hear nothing.")
    os.close(0)
    while True:
        signal.pause()


def deaf(wire: Wire, message: Json) -> None:
    """Read nothing after session/new."""
    new_session(wire, message)
    while True:
        signal.pause()


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
    "chatty_stderr": Mode(chatty),
    "stdin_closed": Mode(stdin_closed),
    "stdout_closed": Mode(stdout_closed),
    "deaf": Mode(new=deaf),
    "ignores_eof": Mode(on_start=ignores_eof),
}
