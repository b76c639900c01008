"""The supervisor: starts one agent or command, and ends it with all that it started.

``python -m acp_jupyter.system.processes.supervise_portable PORT MARK EOF_SECONDS TERM_SECONDS
agent|terminal -- COMMAND [ARGUMENT...]``

It connects to a port of the host and sends the key of its environment. When the host closes this
connection, by request or because it died, the agent gets the end of its stdin; then all that it
started is asked to end, and then killed. The host gets what ``supervise.py`` reports: ``{"pid"}``
or ``{"error", "errno"}``, then ``{"exit_code", "signal"}``.

With ``terminal`` the command is not an agent but one that an agent runs. Its background processes
live until the host closes the connection.

What it starts is found by psutil and by the variable ``MARK`` in the environment. On Windows a Job
Object ends all of it, even if this process is killed. Nothing else can: where there is no Job
Object, the agent sees only the end of its stdin if this process and the host are killed at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from queue import Empty, SimpleQueue

import psutil

from acp_jupyter.system.processes.portable_link import KEY_VARIABLE
from acp_jupyter.system.processes.tree import living

if sys.platform == "win32":
    from acp_jupyter.system.processes.job_object import JobObject
    from acp_jupyter.system.windows.commands import command_line

_STOP_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
_BACKGROUND_POLL_SECONDS = 0.5
_PARENT_POLL_SECONDS = 2.0
_ROUND_SECONDS = 0.05
_KILL_ROUNDS = 100
_CLOCK_SECONDS = 1.0


class PortableSupervisor:
    """Owns an agent's process, and all processes that it starts."""

    def __init__(
        self, host: socket.socket, mark: str, eof_seconds: float, term_seconds: float
    ) -> None:
        self._host = host
        self._mark = mark
        self._eof_seconds = eof_seconds
        self._term_seconds = term_seconds
        self._since = time.time() - _CLOCK_SECONDS
        self._parent = psutil.Process(os.getppid())
        self._happened: SimpleQueue[str] = SimpleQueue()
        self._exited = threading.Event()

    def run(self, command: list[str], *, terminal: bool) -> int:
        """Start ``command``, watch it, and end what it leaves running."""
        for name in _STOP_SIGNALS:
            if number := getattr(signal, name, None):
                signal.signal(number, lambda *_: self._happened.put("stop"))
        if sys.platform == "win32":
            self._job = JobObject()
        process = self._start(command)
        if process is None:
            return 1
        _release_stdio()
        for watch in (self._watch_host, lambda: self._watch(process)):
            threading.Thread(target=watch, daemon=True).start()
        if self._next(_PARENT_POLL_SECONDS) == "exit" and terminal:
            self._wait_for_background()
        self._exited.wait(self._eof_seconds)
        self._end_all()
        self._exited.wait(_KILL_ROUNDS * _ROUND_SECONDS)
        return 0

    def _start(self, command: list[str]) -> subprocess.Popen[bytes] | None:
        environment = {name: text for name, text in os.environ.items() if name != KEY_VARIABLE}
        try:
            if sys.platform == "win32":
                process = subprocess.Popen(
                    command_line(command, environment.get("PATH", "")),
                    env=environment,
                    creationflags=subprocess.CREATE_NO_WINDOW,
                )
            else:
                process = subprocess.Popen(command, env=environment, start_new_session=True)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._report(
                {
                    "error": getattr(error, "strerror", None) or str(error),
                    "errno": getattr(error, "errno", None),
                }
            )
            return None
        self._report({"pid": process.pid})
        return process

    def _watch_host(self) -> None:
        """Wait for the end of the connection."""
        with contextlib.suppress(OSError):
            while self._host.recv(1024):
                pass
        self._happened.put("stop")

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        code = process.wait()
        killed = code < 0
        self._report({"exit_code": None if killed else code, "signal": -code if killed else None})
        self._exited.set()
        self._happened.put("exit")

    def _report(self, message: dict[str, object]) -> None:
        with contextlib.suppress(OSError):
            self._host.sendall(json.dumps(message).encode() + b"\n")

    def _wait_for_background(self) -> None:
        """Wait until a terminal's processes have ended, or the host wants it."""
        while self._left():
            with contextlib.suppress(Empty):
                if self._happened.get(timeout=_BACKGROUND_POLL_SECONDS) == "stop":
                    return
            if not self._parent.is_running():
                return

    def _next(self, poll_seconds: float) -> str:
        """Wait for what happens; a child of the host's can keep the connection open."""
        while True:
            with contextlib.suppress(Empty):
                return self._happened.get(timeout=poll_seconds)
            if not self._parent.is_running():
                return "stop"

    def _end_all(self) -> None:
        """Ask all processes to end, then kill them."""
        deadline = time.monotonic() + self._term_seconds
        left = self._left()
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.terminate()
        while left and time.monotonic() < deadline:
            time.sleep(_ROUND_SECONDS)  # psutil would take the exit status
            left = self._left()
        for _ in range(_KILL_ROUNDS):
            if not left:
                return
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            time.sleep(_ROUND_SECONDS)
            left = self._left()

    def _left(self) -> list[psutil.Process]:
        return living(os.getpid(), self._mark, self._since)


def _release_stdio() -> None:
    """Close our copies of the agent's pipes, or neither side would see end of file."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)


def main(arguments: list[str]) -> int:
    """Run the command line; see the module's docstring."""
    port, mark, eof, term, kind, separator, *command = arguments
    if separator != "--" or not command:
        return 2
    with socket.create_connection(("127.0.0.1", int(port))) as host:
        host.sendall(os.environ[KEY_VARIABLE].encode() + b"\n")
        supervisor = PortableSupervisor(host, mark, float(eof), float(term))
        return supervisor.run(command, terminal=kind == "terminal")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
