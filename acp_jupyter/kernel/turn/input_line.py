"""Reads a typed line, on the main thread with `input`, and on other threads."""

from __future__ import annotations

import _thread
import contextlib
import getpass
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from acp_jupyter.system.portable import is_portable
from acp_jupyter.system.printing import echo, printable

_LOOK_SECONDS = 0.2
_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


class InputWithdrawn(Exception):
    """The line is no longer needed: the request was answered, or its turn has ended."""


@contextlib.contextmanager
def while_wanted(wanted: Callable[[], bool]) -> Iterator[None]:
    """Let `read_line` give up as soon as ``wanted`` returns False."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def read_line(prompt: str, *, secret: bool = False) -> str:
    """Return a typed line."""
    wanted = _wanted.get()
    on_main_thread = threading.current_thread() is threading.main_thread()
    if on_main_thread or wanted is None or is_portable():
        with _ended_with(wanted) if on_main_thread and wanted else contextlib.nullcontext():
            prompt = printable(prompt)
            return getpass.getpass(prompt) if secret else input(prompt)
    echo(prompt, end="", flush=True)
    with _without_echo() if secret else contextlib.nullcontext():
        return _polled_line(wanted)


@contextlib.contextmanager
def _ended_with(wanted: Callable[[], bool]) -> Iterator[None]:
    """End the main thread's wait for input when it is not needed; only a signal can."""
    lock, over = threading.Lock(), threading.Event()
    ended = False

    def watch() -> None:
        nonlocal ended
        while not over.wait(_LOOK_SECONDS):
            if wanted():
                continue
            with lock:
                if not over.is_set():
                    ended = True
                    _interrupt_main_thread()
            return

    threading.Thread(target=watch, name="acp-question", daemon=True).start()
    try:
        try:
            yield
        finally:
            with lock:
                over.set()
    except KeyboardInterrupt:
        if ended:
            raise InputWithdrawn from None
        raise


def _interrupt_main_thread() -> None:
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:  # it also ends a read from a terminal
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _polled_line(wanted: Callable[[], bool]) -> str:
    """Read without blocking: a thread that blocks would take the next line that is typed."""
    import select

    while not select.select([sys.stdin], [], [], _LOOK_SECONDS)[0]:
        if not wanted():
            echo()
            raise InputWithdrawn
    if not wanted():  # the line belongs to another reader
        raise InputWithdrawn
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.removesuffix("\n")


@contextlib.contextmanager
def _without_echo() -> Iterator[None]:
    if sys.platform == "win32":  # getpass reads secrets there
        yield
    else:
        import termios

        before = termios.tcgetattr(sys.stdin)
        silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, silent)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
            echo()
