"""A home folder with secrets, a session's folder in it, and a program of somebody else."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["SECRET", "World", "world"]

SECRET = "a secret that no agent may read"

_FILES = {
    ".ssh/id_rsa": SECRET,
    ".netrc": SECRET,
    ".aws/credentials": SECRET,
    ".git-credentials": SECRET,
    ".pypirc": SECRET,
    ".docker/config.json": SECRET,
    ".kube/config": SECRET,
    ".config/gh/hosts.yml": SECRET,
    ".codex/auth.json": SECRET,
    ".claude/.credentials.json": "its own login",
    ".bashrc": "outside",
    "note.txt": "outside",
    "mine.py": "outside",
    "data/sessions/1/log.ndjson": SECRET,
    "runtime/jpserver-1.json": SECRET,
    "runtime/kernel-1.json": SECRET,
    "work/a.py": "inside",
    "work/b.py": "inside",
    "work/.git/hooks/pre-commit.sample": "protected",
    "work/.git/config": "[core]\n\tbare = false\n",
    "work/.env": SECRET,
    "work/keys/server.pem": SECRET,
    "work/setup.py": "protected",
    "work/CLAUDE.md": "protected",
    "work/.vscode/settings.json": "{}",
    "work/pkg/conftest.py": "protected",
    "work/pkg/c.py": "inside",
    "work/.venv/pyvenv.cfg": "home = /usr/bin\n",
    "work/.venv/bin/activate": "protected",
    "copied/a.py": "inside",
    "copied/b.py": "inside",
    "copied/.git/hooks/pre-commit.sample": "protected",
    "copied/.env": SECRET,
}

_NEIGHBOUR = """
import ctypes, json, os, signal, socket, sys, threading
home, folder = sys.argv[1:3]
def hit(number, frame):
    open(home + "/signalled", "w").close()
signal.signal(signal.SIGUSR1, hit)
kept = []
def listening(family, kind, address):
    made = socket.socket(family, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen(50)
        def answer():
            while True:
                other, _ = made.accept()
                try:
                    other.sendall(b"hello")
                except OSError:
                    pass
                other.close()
    else:
        def answer():
            while True:
                data, sender = made.recvfrom(100)
                made.sendto(data, sender)
    threading.Thread(target=answer, daemon=True).start()
    kept.append(made)
    return made
names = {"PID": os.getpid()}
tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
names["PORT"] = listening(socket.AF_INET, tcp, ("127.0.0.1", 0)).getsockname()[1]
names["PORT_UDP"] = listening(socket.AF_INET, udp, ("127.0.0.1", 0)).getsockname()[1]
try:
    names["PORT_6"] = listening(socket.AF_INET6, tcp, ("::1", 0)).getsockname()[1]
except OSError:
    names["PORT_6"] = 0
abstract = "acp-deed-%d" % os.getpid()
listening(socket.AF_UNIX, tcp, "\\0" + abstract)
listening(socket.AF_UNIX, udp, "\\0" + abstract + "d")
names["ABSTRACT"] = abstract
for name, path in (("SOCKET", home + "/run.sock"), ("SOCKET_TEMPORARY", folder + "/tmp.sock")):
    listening(socket.AF_UNIX, tcp, path)
    names[name] = path
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
names["SHARED"] = libc.shmget(0, 4096, 0o1600)
kept.append(libc.shmat(names["SHARED"], None, 0))
libc.shmctl(names["SHARED"], 0, None)  # it is removed with the last process that uses it
buffer = ctypes.create_string_buffer(sys.argv[3].encode())
names["ADDRESS"] = ctypes.addressof(buffer)
names["PATH_SHARED"] = "/dev/shm/acp-deed-%d" % os.getpid()
open(names["PATH_SHARED"], "w").write("outside")
main, side = os.openpty()
names["TERMINAL"] = os.ttyname(side)
secret = open(home + "/.netrc")
names["FILE"] = secret.fileno()
print(json.dumps(names), flush=True)
sys.stdin.read()
os.unlink(names["PATH_SHARED"])
"""


@dataclass(frozen=True)
class World:
    """Folders, and what deeds call them."""

    home: Path
    folder: Path
    """The session's."""
    names: dict[str, Any]

    def bytes_of(self, *paths: str) -> dict[str, bytes | None]:
        """Return what is in files of the home folder; None for one that is not there."""
        return {
            path: each.read_bytes() if (each := self.home / path).is_file() else None
            for path in paths
        }


@contextlib.contextmanager
def world() -> Iterator[World]:
    """Make one outside of all folders for temporary files, which no sandbox shows."""
    user = pwd.getpwuid(os.getuid()).pw_dir
    place = os.environ.get("ACP_DEEDS_FOLDER") or (user if os.access(user, os.W_OK) else "/opt")
    home = Path(tempfile.mkdtemp(prefix="acp-deeds-", dir=place))
    temporary = Path(tempfile.mkdtemp(prefix="acp-deeds-", dir="/tmp"))
    try:
        for path, text in _FILES.items():
            file = home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        folder = home / "work"
        (folder / "out").symlink_to(home)
        (folder / "to_copied").symlink_to(home / "copied")
        (folder / "to_key").symlink_to(home / ".ssh/id_rsa")
        os.link(home / "note.txt", folder / "linked.txt")
        (temporary / "theirs").write_text(SECRET, encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-c", _NEIGHBOUR, str(home), str(temporary), SECRET],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "THEIR_SECRET": SECRET},
            text=True,
        )
        with process:
            assert process.stdout is not None
            said = json.loads(process.stdout.readline())
            names = {"HOME": str(home), "FOLDER": str(folder), "TEMPORARY": str(temporary)}
            names |= {"COPIED": str(home / "copied"), "SECRET": SECRET}
            try:
                yield World(home, folder, {**names, **said})
            finally:
                process.kill()
        with contextlib.suppress(OSError):
            os.unlink(said["PATH_SHARED"])
    finally:
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(temporary, ignore_errors=True)
