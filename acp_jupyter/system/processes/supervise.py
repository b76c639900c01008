"""The supervisor: starts one agent or command, and ends it with all that it started.

``supervise.py LIFE_FD STATUS_FD EOF_SECONDS TERM_SECONDS [terminal FOLDER_FD] --
COMMAND [ARGUMENT...]``

Only the host has the write end of the life pipe. When that closes, by request or because the host
died, the agent gets the end of its stdin, then SIGTERM, then SIGKILL, and so does every process
that it started, also those that left its process group. The status pipe has one JSON object per
line: ``{"pid"}`` or ``{"error", "errno"}``, then ``{"exit_code", "signal"}`` as soon as the agent
itself has exited. The status pipe ends when no process is left.

With ``terminal`` the command is not an agent but one that an agent runs. Standard output becomes
its controlling terminal, and its background processes live until the host closes the life pipe.
It runs in the folder that is open as ``FOLDER_FD``, even if that was renamed meanwhile.

Standard library only: this runs beside every agent, outside our environment.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import time

assert sys.platform != "win32", "POSIX only"
_LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PARENT_POLL_SECONDS = 2.0
_KILL_ROUND_SECONDS = 0.05
_KILL_ROUNDS = 100


def _prctl(option: int, value: int) -> None:
    """Call Linux's prctl; other systems rely on the process group."""
    if _LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """Return all living descendants of ``root``, whatever their session or group."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # The command name in brackets may hold spaces and brackets itself.
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if len(fields) > 1 and fields[0] not in (b"Z", b"X"):
            children.setdefault(int(fields[1]), []).append(int(name))
    found: list[int] = []
    todo = [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


class Supervisor:
    """Owns an agent's process, and all processes that it starts."""

    def __init__(
        self,
        life_fd: int,
        status_fd: int,
        eof_seconds: float,
        term_seconds: float,
        *,
        folder_fd: int | None = None,
    ) -> None:
        self._life_fd = life_fd
        self._status_fd = status_fd
        self._eof_seconds = eof_seconds
        self._term_seconds = term_seconds
        self._folder_fd = folder_fd
        self._terminal = folder_fd is not None
        self._parent = os.getppid()
        self._pid = 0
        self._exited = False
        self._stop_requested = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)

    def run(self, command: list[str]) -> int:
        """Start ``command``, watch it, and end what it leaves running."""
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_stop_signal)
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        if not self._start(command):
            return 1
        self._release_stdio()
        while not self._is_done() and self._host_lives():
            self._wait(_PARENT_POLL_SECONDS)
        self._wait_until_gone(self._eof_seconds)
        self._end_all()
        return 0

    def _is_done(self) -> bool:
        return self._exited and not (self._terminal and self._anything_left())

    def _on_stop_signal(self, *_: object) -> None:
        self._stop_requested = True

    def _start(self, command: list[str]) -> bool:
        me = os.getpid()

        def before_exec() -> None:
            # If this supervisor is killed, the agent must end, too.
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != me:
                os._exit(1)
            if self._terminal:
                fcntl.ioctl(1, termios.TIOCSCTTY, 0)

        try:
            if self._folder_fd is not None:
                os.fchdir(self._folder_fd)
                os.close(self._folder_fd)
            process = subprocess.Popen(command, start_new_session=True, preexec_fn=before_exec)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._report(
                {
                    "error": getattr(error, "strerror", None) or str(error),
                    "errno": getattr(error, "errno", None),
                }
            )
            return False
        self._pid = process.pid
        process.returncode = 0  # reaped below together with adopted processes, not by subprocess
        self._report({"pid": process.pid})
        return True

    def _release_stdio(self) -> None:
        """Close our copies of the agent's pipes, or neither side would see end of file."""
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.close(null)

    def _report(self, message: dict[str, object]) -> None:
        with contextlib.suppress(OSError):
            os.write(self._status_fd, json.dumps(message).encode() + b"\n")

    def _host_lives(self) -> bool:
        if self._stop_requested or os.getppid() != self._parent:
            return False
        readable, _, _ = select.select([self._life_fd], [], [], 0)
        return not readable

    def _wait(self, seconds: float) -> None:
        """Sleep until a child exits, a signal comes, the life pipe closes or time is up."""
        fds = [self._wake_read]
        if not self._stop_requested:
            fds.append(self._life_fd)
        select.select(fds, [], [], max(0.0, seconds))
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_read, 4096)
        self._reap()

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._pid:
                self._exited = True
                code = os.waitstatus_to_exitcode(status)
                killed = code < 0
                self._report(
                    {"exit_code": None if killed else code, "signal": -code if killed else None}
                )

    def _wait_until_gone(self, seconds: float) -> None:
        """Wait until the agent itself has exited."""
        self._stop_requested = True
        deadline = time.monotonic() + seconds
        while not self._exited and time.monotonic() < deadline:
            self._wait(deadline - time.monotonic())

    def _end_all(self) -> None:
        """Send SIGTERM, then SIGKILL, to every process that the agent started."""
        self._stop_requested = True
        deadline = time.monotonic() + self._term_seconds
        self._signal_all(signal.SIGTERM)
        while self._anything_left() and time.monotonic() < deadline:
            self._wait(_KILL_ROUND_SECONDS)
        for _ in range(_KILL_ROUNDS):
            if not self._anything_left():
                return
            self._signal_all(signal.SIGKILL)
            self._wait(_KILL_ROUND_SECONDS)

    def _anything_left(self) -> bool:
        self._reap()
        if _LINUX:
            return bool(descendants(os.getpid()))
        with contextlib.suppress(OSError):
            os.killpg(self._pid, 0)
            return True
        return False

    def _signal_all(self, number: signal.Signals) -> None:
        """Signal all processes; on Linux all are descendants, as orphans go to the subreaper."""
        if not _LINUX:
            with contextlib.suppress(OSError):
                os.killpg(self._pid, number)
        for pid in descendants(os.getpid()):
            with contextlib.suppress(OSError):
                os.kill(pid, number)


def main(arguments: list[str]) -> int:
    """Run the command line; see the module's docstring."""
    if "--" not in arguments:
        return 2
    end = arguments.index("--")
    (life, status, eof, term), how, command = arguments[:4], arguments[4:end], arguments[end + 1 :]
    if not command:
        return 2
    folder = int(how[1]) if how[:1] == ["terminal"] else None
    supervisor = Supervisor(int(life), int(status), float(eof), float(term), folder_fd=folder)
    return supervisor.run(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
