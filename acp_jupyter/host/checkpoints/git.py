"""Git with a repository of our own for somebody else's folder.

Git itself does it: it knows ignored files, modes and links, and its index makes the second look at
a folder cheap. Nothing of the user's git has a part in it: no configuration, hook, filter or
attribute, and never the folder's own ``.git``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

__all__ = ["GitError", "GitMissing", "GitSlow", "GitTooMuch", "ShadowGit"]

_MIB = 1024 * 1024
_SAID_CHARS = 300
_READY = "acp-jupyter"
_SETTINGS = {
    "core.autocrlf": "false",
    "core.safecrlf": "false",
    "core.filemode": "true",
    "core.symlinks": "true",
    "core.ignorecase": "false",
    "core.precomposeunicode": "false",
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.splitIndex": "false",
    "core.looseCompression": "1",
    "core.fsync": "none",
    "core.logAllRefUpdates": "false",
    "core.longpaths": "true",
    "core.quotepath": "true",
    "diff.external": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
}
# Bytes go in and come out as they are, and whether a file is text is seen by what it holds.
_ATTRIBUTES = "* -text -ident !eol !crlf !filter !working-tree-encoding !diff !merge\n"


class GitError(Exception):
    """Git did not do it; the message says why."""


class GitMissing(GitError):
    """There is no git on ``PATH``."""


class GitSlow(GitError):
    """It took too long and was ended."""


class GitTooMuch(GitError):
    """It had more to say than was to be read."""


class ShadowGit:
    """A repository outside the folder that it looks at. All calls block, within bounds.

    Parameters
    ----------
    root
        The folder; its ``.git`` is never touched.
    folder
        Of the repository; made when first needed.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self._program = shutil.which("git")

    def prepare(self, seconds: float) -> None:
        """Make the repository, unless it is there.

        Raises
        ------
        GitError
            It could not be made.
        """
        if (self.folder / _READY).exists():
            (self.folder / "index.lock").unlink(missing_ok=True)  # of a git that was ended
            return
        try:
            self.discard()
            self.folder.mkdir(mode=0o700, parents=True)
            self.run("init", "-q", "--template=", seconds=seconds)
            (self.folder / "info").mkdir(exist_ok=True)
            (self.folder / "info" / "attributes").write_text(_ATTRIBUTES)
            (self.folder / _READY).touch()
        except OSError as error:
            raise GitError(f"the repository can't be written: {error.strerror}") from error

    def discard(self) -> None:
        """Remove the repository with all that is kept in it."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(
        self,
        *args: str,
        seconds: float,
        stdin: bytes = b"",
        most_bytes: int = 64 * _MIB,
        fine: tuple[int, ...] = (0,),
        settings: Mapping[str, str] | None = None,
        index: Path | None = None,
    ) -> bytes:
        """Run a command of git and return what it wrote.

        Parameters
        ----------
        args
            The command.
        seconds
            Longest time.
        stdin
            What it reads.
        most_bytes
            Longest output.
        fine
            Exit codes that are no error.
        settings
            Further ones of git.
        index
            Used in place of the repository's own.

        Raises
        ------
        GitError
            Any of its kinds.
        """
        if self._program is None:
            raise GitMissing("git is not installed")
        if seconds <= 0:
            raise GitSlow("there was no time left")
        named = {**_SETTINGS, **(settings or {})}
        options = [part for name, value in named.items() for part in ("-c", f"{name}={value}")]
        try:
            with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
                given.write(stdin)
                given.seek(0)
                process = subprocess.Popen(
                    [self._program, "--no-pager", *options, *args],
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=said,
                    cwd=self.root,
                    env=self._environment(index),
                    start_new_session=True,
                )
                written = _read(process, seconds, most_bytes)
                said.seek(0)
                complaint = said.read(4 * _SAID_CHARS).decode(errors="replace")
        except (OSError, ValueError) as error:
            raise GitError(f"git can't be started: {error}") from error
        if process.returncode not in fine:
            raise GitError(" ".join(complaint.split())[:_SAID_CHARS] or f"git {args[0]} failed")
        return written

    def _environment(self, index: Path | None) -> dict[str, str]:
        home = str(self.folder)
        chosen = {} if index is None else {"GIT_INDEX_FILE": str(index)}
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "XDG_CONFIG_HOME": home,
            "LC_ALL": "C",
            "GIT_DIR": home,
            "GIT_WORK_TREE": str(self.root),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            **chosen,
            **{name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ},
        }


def _read(process: subprocess.Popen[bytes], seconds: float, most: int) -> bytes:
    """Return all that a process writes; it is ended beyond a bound."""
    late = threading.Event()

    def end() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    started = time.monotonic()
    timer.start()
    try:
        assert process.stdout is not None
        with process.stdout:
            written = process.stdout.read(most + 1)
            if len(written) > most:
                _kill(process)
        process.wait()
    finally:
        timer.cancel()
        if process.returncode is None:
            _kill(process)
            process.wait()
    if late.is_set():
        raise GitSlow(f"git took longer than {time.monotonic() - started:.0f} s")
    if len(written) > most:
        raise GitTooMuch("git had too much to say")
    return written


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        return  # it has ended
