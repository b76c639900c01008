"""A line that somebody types, on the main thread as `input` reads it, and on others."""

from __future__ import annotations

import contextlib
import getpass
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar

_LOOK_SECONDS = 0.2
_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


class NoLongerAsked(Exception):
    """What a line was read for has been answered, or its turn has ended."""


@contextlib.contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """Let `read_line` give up on a thread of its own as soon as ``wanted`` returns False."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def read_line(prompt: str, *, secret: bool = False) -> str:
    """Return a typed line.

    Raises
    ------
    EOFError
        Input has ended.
    NoLongerAsked
        The answer is not wanted any more.
    """
    wanted = _wanted.get()
    on_main_thread = threading.current_thread() is threading.main_thread()
    if on_main_thread or wanted is None or os.name == "nt":
        return getpass.getpass(prompt) if secret else input(prompt)
    print(prompt, end="", flush=True)  # noqa: T201 - for the terminal
    with _without_echo() if secret else contextlib.nullcontext():
        return _polled_line(wanted)


def _polled_line(wanted: Callable[[], bool]) -> str:
    """Read without blocking: a thread that blocks would take the next line that is typed."""
    import select

    while not select.select([sys.stdin], [], [], _LOOK_SECONDS)[0]:
        if not wanted():
            print()  # noqa: T201 - the question's line ends
            raise NoLongerAsked
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.removesuffix("\n")


@contextlib.contextmanager
def _without_echo() -> Iterator[None]:
    import termios

    before = termios.tcgetattr(sys.stdin)
    silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        print()  # noqa: T201 - the Enter that was not echoed
