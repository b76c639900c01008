"""Run a command within walls that the kernel keeps, for it and for all that it starts.

``confine.py [--read PATH]... [--list PATH]... [--write PATH]... [--fix PATH]... [--hide PATH]...
[--network own|none|port] [--forward SOCKET] [--port PORT] -- COMMAND [ARGUMENT...]``

With ``read``, ``list`` or ``write``, Landlock allows these paths alone: to read and run what is
below, to list folders, to change what is below. With ``fix`` and ``hide``, mounts of its own keep
paths from being changed, or from being read; one that is not there is passed over. Either way no
signal and no abstract socket reaches a process outside, and the system calls are refused that lead
around that.

Of the network the command has all; or ``own``, one of its own, where this program listens at
`PROXY_PORT` and passes on to a socket; or ``none``; or ``port``, TCP to this one port of proxies.
What this kernel does not know is left out; who starts this has asked it before.

Standard library only: this runs in front of every agent in a sandbox, outside our environment.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
import sys
from collections.abc import Iterable, Sequence

assert sys.platform == "linux", "its walls are Linux's"

PROXY_PORT = 3128
"""Where the proxy is in a network of its own."""
_WAITING_CONNECTIONS = 128

_EXIT_NOT_CONFINED = 126
_EXIT_NOT_FOUND = 127

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 38, 22
_PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 24, 47, 4
_MAX_CAPABILITIES = 64
_CAP_SETFCAP = 31

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_ALL_SINCE = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights over files, by the version of Landlock that has them."""
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
NET_SINCE = 4
"""The version of Landlock that has rules for TCP."""
_SCOPED_SINCE = 6
_ALLOWED_PATHS = ("--read", "--list", "--write")
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1


_NEWUSER, _NEWNS = 0x10000000, 0x20000
_MS_RDONLY, _MS_REMOUNT, _MS_BIND, _MS_REC = 1, 32, 4096, 16384
_KEPT_FLAGS = 2 | 4 | 8
"""Of a mount: no set-user-ID programs, no devices, no programs."""
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE = 442, -100, 0x8000
_SPARE = b"/dev/shm"
"""Where what is put over hidden places is made; it is as before afterwards."""


def landlock_version() -> int:
    """Return the version of Landlock in this kernel; 0 where there is none."""
    version = _libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return max(0, int(version))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _done(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _mount(source: bytes | None, target: bytes, kind: bytes | None, flags: int) -> bool:
    """Mount; return False where that can't be reached, or is not there any more."""
    if _libc().mount(source, target, kind, flags, None) == 0:
        return True
    number = ctypes.get_errno()
    if number in {errno.ENOENT, errno.ENOTDIR}:
        return False
    try:
        os.lstat(target)
    except OSError:  # in another user's folder; the command has fewer rights yet
        return False
    raise OSError(number, f"{os.fsdecode(target)} can't be kept: {os.strerror(number)}")


def _fix(path: bytes) -> None:
    if not _mount(path, path, None, _MS_BIND | _MS_REC):
        return
    attributes = struct.pack("QQQQ", _MS_RDONLY, 0, 0, 0)
    done = _libc().syscall(
        _MOUNT_SETATTR,
        ctypes.c_int(_AT_FDCWD),
        path,
        ctypes.c_uint(_AT_RECURSIVE),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    if done < 0:  # a kernel that does not know it, which is before 5.12
        flags = os.statvfs(path).f_flag & _KEPT_FLAGS
        _mount(None, path, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | flags)


def _mount_over(places: Sequence[tuple[str, str]]) -> None:
    """Keep places from being changed or read, in a mount namespace of the command's own."""
    if not places:
        return
    user, group = os.getuid(), os.getgid()
    _done(_libc().unshare(_NEWUSER | _NEWNS), "no namespace can be had")
    for name, text in (
        *(("setgroups", "deny"), ("uid_map", f"{user} {user} 1")),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    _mount(b"none", _SPARE, b"tmpfs", 0)
    empty_file, empty_folder = _SPARE + b"/file", _SPARE + b"/folder"
    os.close(os.open(empty_file, os.O_CREAT | os.O_WRONLY, 0))
    os.mkdir(empty_folder, 0)
    os.chmod(empty_folder, 0)
    for how, name in places:
        path = os.fsencode(name)
        if how == "--fix":
            _fix(path)
        else:
            empty = empty_folder if os.path.isdir(path) else empty_file
            if _mount(empty, path, None, _MS_BIND):
                flags = os.statvfs(path).f_flag & _KEPT_FLAGS
                _mount(None, path, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | flags)
    _done(_libc().umount2(_SPARE, 0), "what hides files can't be put away")


def _restrict(
    read: Sequence[str], listed: Sequence[str], write: Sequence[str], port: int | None
) -> None:
    """Let the kernel allow these places and this port alone, and nothing that reaches others."""
    version = landlock_version()
    libc = _libc()
    files = net = 0
    if read or write:
        files = next(_ALL_SINCE[since] for since in (5, 3, 2, 1) if version >= since)
    if port is not None:
        if version < NET_SINCE:
            raise OSError(errno.ENOSYS, "Landlock of this kernel knows no ports")
        net = _BIND_TCP | _CONNECT_TCP
    scoped = _ABSTRACT_SOCKETS | _SIGNALS if version >= _SCOPED_SINCE else 0
    if not files and not net and not scoped:
        return
    attributes = struct.pack("QQQ", files, net, scoped)
    size = 24 if version >= _SCOPED_SINCE else 16 if version >= NET_SINCE else 8
    ruleset = _done(
        libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0)),
        "Landlock refused the rules",
    )
    for paths, rights in ((listed, _READ_DIR), (read, _READ), (write, files)):
        for path in paths:
            _allow(libc, ruleset, path, rights & files)
    if port is not None:
        rule = struct.pack("=QQ", _CONNECT_TCP, port)
        _done(
            libc.syscall(_ADD_RULE, ruleset, _NET_PORT, rule, ctypes.c_uint32(0)),
            "Landlock refused the port",
        )
    _done(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)), "Landlock was refused")
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there need not be allowed
    try:
        if not os.path.isdir(path):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, place)
        _done(
            libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint32(0)),
            f"Landlock refused {path}",
        )
    finally:
        os.close(place)


def _drop_capabilities(*, in_namespace: bool) -> None:
    """Let the command have none, also as root: with some, Linux lets it read other processes.

    In bubblewrap's namespace root keeps the one to give files capabilities. Without it Linux lets
    root make no namespace within, and so agents no sandbox of their own. It gives a file no more
    than root gives by making it run as its owner.
    """
    libc = _libc()
    libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    kept = {_CAP_SETFCAP} if in_namespace else set()
    for capability in set(range(_MAX_CAPABILITIES)) - kept:
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # refused where there is none to drop


_ARCHITECTURES = {
    "x86_64": (0xC000003E, (250, 249, 248), 16, 302, 41, ((44, 3), (46, 2), (307, 3))),
    "aarch64": (0xC00000B7, (219, 218, 217), 29, 261, 198, ((206, 3), (211, 2), (269, 3))),
}
"""The kernel's number of each, and those of keyctl, request_key and add_key, of ioctl, prlimit64
and socket, and of sendto, sendmsg and sendmmsg, with the place of their flags."""
_TYPING = (0x5412, 0x541C)
"""Of ioctl: to type into a terminal, by which a command of the user's own shell would be run."""
_IO_URING = (425, 426, 427)
"""Reaches files and sockets by another way; programs go the usual one where it is missing."""
_X32 = 0x40000000
_LOAD, _AND, _JUMP_EQUAL, _JUMP_ANY, _JUMP_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x45, 0x35, 0x06
_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050000
_FIRST_ARGUMENT, _ARGUMENT_BYTES = 16, 8
_FAST_OPEN = 0x20000000
"""A flag of sends that connects, too: Landlock does not see that."""
_LOCAL_FAMILIES = (socket.AF_UNIX, 16)
"""Of sockets that lead nowhere else; the second one asks the kernel of the network's state."""
_INET_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_TYPE_BITS = 0xF
_TCP = (0, socket.IPPROTO_TCP)
"""Multipath TCP, another protocol of the same type, is not seen by Landlock."""

_Step = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _refuse_calls(network: str) -> None:
    """Refuse system calls of other architectures, of key rings and of io_uring, and sockets.

    Neither can a terminal be typed into, nor the limits of another process be set.
    """
    known = _ARCHITECTURES.get(os.uname().machine)  # the module platform takes longer
    if known is None:
        if network in {"none", "port"}:
            raise OSError(errno.ENOSYS, "sockets can't be refused on this kind of machine")
        return
    architecture, keys, ioctl, limits, socket_call, sends = known
    missing = _REFUSED | errno.ENOSYS
    steps: list[_Step] = [
        (_LOAD, 0, 0, 4),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, missing),
        (_LOAD, 0, 0, 0),
        (_JUMP_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, missing),
    ]
    for number in (*_IO_URING, *keys):
        steps += _at_call(number, [(_RETURN, 0, 0, missing)])
    refused: _Step = (_RETURN, 0, 0, _REFUSED | errno.EPERM)
    allowed: _Step = (_RETURN, 0, 0, _ALLOWED)
    steps += _at_call(limits, [_argument(0), (_JUMP_EQUAL, 0, 1, 0), allowed, refused])
    typing = [word for one in _TYPING for word in ((_JUMP_EQUAL, 0, 1, one), refused)]
    steps += _at_call(ioctl, [_argument(1), *typing, allowed])
    if network:
        steps += _at_call(socket_call, _sockets(network))
    if network == "port":
        for number, place in sends:
            steps += _at_call(number, _without_fast_open(place))
    steps.append(allowed)
    packed = b"".join(struct.pack("HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(packed, len(packed))
    program = _Program(len(steps), ctypes.addressof(held))
    filtered = 2  # SECCOMP_MODE_FILTER
    _done(
        _libc().prctl(_PR_SET_SECCOMP, filtered, ctypes.byref(program), 0, 0),
        "the filter of system calls was refused",
    )


def _at_call(number: int, steps: list[_Step]) -> list[_Step]:
    """Take these steps, which must all return, at one system call."""
    return [(_JUMP_EQUAL, 0, len(steps), number), *steps]


def _argument(place: int) -> _Step:
    return (_LOAD, 0, 0, _FIRST_ARGUMENT + _ARGUMENT_BYTES * place)


def _sockets(network: str) -> list[_Step]:
    """Decide about a new socket by its family, and of the internet's by type and protocol."""
    refused: _Step = (_RETURN, 0, 0, _REFUSED | errno.EAFNOSUPPORT)
    allowed: _Step = (_RETURN, 0, 0, _ALLOWED)
    families = (*_LOCAL_FAMILIES, *(_INET_FAMILIES if network == "own" else ()))
    steps = [_argument(0)]
    for family in families:
        steps += [(_JUMP_EQUAL, 0, 1, family), allowed]
    if network == "port":
        of_tcp = [
            _argument(1),
            (_AND, 0, 0, _TYPE_BITS),
            (_JUMP_EQUAL, 0, 4, socket.SOCK_STREAM),
            _argument(2),
            (_JUMP_EQUAL, 1, 0, _TCP[0]),
            (_JUMP_EQUAL, 0, 1, _TCP[1]),
            allowed,
        ]
        first, second = _INET_FAMILIES
        steps += [(_JUMP_EQUAL, 1, 0, first), (_JUMP_EQUAL, 0, len(of_tcp), second), *of_tcp]
    return [*steps, refused]


def _without_fast_open(place: int) -> list[_Step]:
    return [
        _argument(place),
        (_JUMP_ANY, 0, 1, _FAST_OPEN),
        (_RETURN, 0, 0, _REFUSED | errno.EOPNOTSUPP),
        (_RETURN, 0, 0, _ALLOWED),
    ]


def _forward(path: str) -> None:
    """Start what carries connections out of a network of its own, before anything needs it."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", PROXY_PORT))
    listener.listen(_WAITING_CONNECTIONS)
    listener.set_inheritable(True)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        listener.close()
        return
    try:
        # The command does not expect a child that it has not started: the first process is its
        # parent, and ends it with the sandbox.
        if os.fork() == 0:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forward.py")
            own = [sys.executable, "-I", "-S", program, str(listener.fileno()), path]
            os.execv(sys.executable, own)  # noqa: S606 - our own program
    finally:
        os._exit(0)


def _arguments(words: Iterable[str]) -> tuple[list[tuple[str, str]], list[str]]:
    places: list[tuple[str, str]] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return places, list(rest)
        places.append((word, next(rest)))
    return places, []


def main(words: Sequence[str]) -> int:
    """Run the command line; see the module's docstring."""
    options, command = _arguments(words)
    if not command:
        return _EXIT_NOT_CONFINED
    try:
        for _, path in (each for each in options if each[0] == "--forward"):
            _forward(path)
        _mount_over([each for each in options if each[0] in {"--fix", "--hide"}])
        # Landlock's paths are given where there is no namespace.
        paths = any(how in _ALLOWED_PATHS for how, _ in options)
        _drop_capabilities(in_namespace=not paths)
        _done(_libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "new privileges can't be ruled out")
        port = next((int(number) for how, number in options if how == "--port"), None)
        read, listed, write = ([p for how, p in options if how == each] for each in _ALLOWED_PATHS)
        _restrict(read, listed, write, port)
        _refuse_calls(next((name for how, name in options if how == "--network"), ""))
    except OSError as error:
        sys.stderr.write(f"The sandbox can't be set up: {error.strerror}.\n")
        return _EXIT_NOT_CONFINED
    try:
        os.execvp(command[0], command)  # noqa: S606 - it is what this program is for
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        return _EXIT_NOT_FOUND


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
