"""Takes from this package, in this process, what only POSIX systems have, as Windows does.

Imported at the start of each process of an environment, see `tests.system.test_without_posix`.
Libraries keep it: they have their own ways on Windows.
"""

from __future__ import annotations

import asyncio
import builtins
import os
import signal
import socket
import sys
from types import ModuleType
from typing import Any

MODULES = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"})
NAMES = {
    "os": (
        "O_ASYNC O_CLOEXEC O_DIRECTORY O_DSYNC O_NOATIME O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH "
        "O_SYNC WNOHANG chown chroot confstr ctermid fchdir fchmod fchown fork forkpty getegid "
        "geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getresuid getsid getuid "
        "initgroups killpg lchown lockf major minor mkfifo mknod nice openpty pathconf "
        "posix_fadvise posix_spawn pread preadv pwrite pwritev readv register_at_fork "
        "sched_getaffinity sched_setaffinity sendfile set_blocking setegid seteuid setgid "
        "setgroups setpgid setpriority setsid setuid statvfs sync sysconf tcgetpgrp tcsetpgrp "
        "ttyname uname wait wait3 wait4 writev"
    ),
    "signal": (
        "ITIMER_REAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP "
        "SIGUSR1 SIGUSR2 SIGWINCH SIGXFSZ alarm getitimer pause pthread_kill pthread_sigmask "
        "setitimer siginterrupt sigwait"
    ),
    "socket": "AF_UNIX AF_NETLINK AF_PACKET",
    "asyncio": "start_unix_server open_unix_connection",
}
OF_LINUX = frozenset({"acp_jupyter.host.sandbox.confine"})
"""Imported on Linux alone, where it asks the kernel what that has."""
EMPTY = frozenset({"supports_dir_fd", "supports_effective_ids", "supports_fd"})
WHOLE = {"os": os, "signal": signal, "socket": socket, "asyncio": asyncio}


class Less(ModuleType):
    """A module without some of its names."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__dict__.update({"_missing": frozenset(NAMES[name].split()), "_whole": WHOLE[name]})

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_missing"]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name in EMPTY:
            return frozenset()
        if name == "supports_follow_symlinks":
            return {os.stat}
        return getattr(self.__dict__["_whole"], name)


LESS = {name: Less(name) for name in NAMES}
_import = builtins.__import__


def _is_own(importer: str) -> bool:
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    own = getattr(main, "name", "") if importer == "__main__" else importer
    return own.partition(".")[0] == "acp_jupyter" and own not in OF_LINUX


def _less_import(
    name: str,
    globals: Any = None,
    locals: Any = None,
    fromlist: Any = (),
    level: int = 0,
) -> Any:
    if level == 0 and globals and _is_own(str(globals.get("__name__", ""))):
        if name.partition(".")[0] in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in LESS:
            return LESS[name]
    return _import(name, globals, locals, fromlist, level)


builtins.__import__ = _less_import

OF_LOOPS = ("add_signal_handler", "connect_read_pipe", "connect_write_pipe", "create_unix_server")
"""Methods that the event loop of a Jupyter server lacks on Windows."""


def _without(method: str) -> None:
    whole = getattr(asyncio.SelectorEventLoop, method)

    def lacking(*args: Any, **options: Any) -> Any:
        if _is_own(sys._getframe(1).f_globals["__name__"]):
            raise NotImplementedError(method)
        return whole(*args, **options)

    setattr(asyncio.SelectorEventLoop, method, lacking)


for _method in OF_LOOPS:
    _without(_method)
