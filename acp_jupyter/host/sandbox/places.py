"""Finds on disk what the walls of a sandbox are about: protected files, credentials, programs.

All functions read the file system, and so block.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from acp_jupyter.host.public_registry.known import KNOWN, Known
from acp_jupyter.host.public_registry.packages import LOCKED
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.credential_files import CREDENTIAL_PLACES
from acp_jupyter.host.requests.protected_paths import holds_credentials, is_protected
from acp_jupyter.host.sandbox.walls import AgentPlaces, FolderPlaces

_MOST_ENTRIES = 200_000
"""Of a session's folder that are looked at."""
_MOST_PLACES = 500
"""Of one kind in a session's folder; of more, whole folders are kept from changes."""
_MOST_AT_HOME = 20_000

_SETTINGS = (".config", ".local/share", ".local/state", ".cache", "Library/Application Support")
"""Folders of a home folder in which each program has its own."""
_OF_THE_SYSTEM = (
    *("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"),
    *("/etc/sudoers.d", "/etc/ssl/private", "/etc/krb5.keytab", "/etc/jupyterhub"),
    *("/srv/jupyterhub", "/var/lib/docker", "/var/lib/containerd"),
)
_SOCKETS = ("/run", "/var/run")
"""Where other programs listen: a container's engine, a desktop's session, an agent of keys."""
_SHOWN_OF_SOCKETS = ("/run/current-system", "/run/opengl-driver", "/run/wrappers")
"""Programs, on NixOS."""
_PASSWORD_IN_URL = re.compile(rb"://[^/\s@]*:[^/\s@]+@|extraheader|://[^/\s:@]{20,}@", re.I)
_GIT_CONFIG_BYTES = 256 * 1024


def places_in(folder: Path) -> FolderPlaces:
    """Find what is protected, and what holds credentials, in a session's folder.

    Raises
    ------
    OSError
        There are more of them than can be kept.
    """
    protected: list[str] = []
    credentials: list[str] = []
    left = _MOST_ENTRIES
    todo = [str(folder)]
    while todo:
        for entry in _entries(todo.pop()):
            left -= 1
            if left < 0:
                raise OSError(0, f"the folder has more than {_MOST_ENTRIES} files")
            if entry.is_symlink():
                continue
            if _names_credentials(entry.name) or _keeps_password(entry):
                credentials.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if _is_protected(entry.name) or _is_special(entry.path):
                    protected.append(entry.path)
                    credentials += _credentials_in(entry.path)
                else:
                    todo.append(entry.path)
            elif _is_protected(entry.name) or entry.stat(follow_symlinks=False).st_nlink > 1:
                protected.append(entry.path)
    return FolderPlaces(
        protected=tuple(_gathered(protected, folder)), credentials=tuple(credentials)
    )


@lru_cache(maxsize=20_000)
def _is_protected(name: str) -> bool:
    return is_protected(name)


@lru_cache(maxsize=20_000)
def _names_credentials(name: str) -> bool:
    return holds_credentials(name)


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _is_special(folder: str) -> bool:
    """Return whether a folder is a Python environment or a bare git repository."""
    if os.path.exists(os.path.join(folder, "pyvenv.cfg")):
        return True
    return all(os.path.exists(os.path.join(folder, n)) for n in ("HEAD", "objects", "refs"))


def _credentials_in(folder: str) -> Iterator[str]:
    """Find those at the top of a protected folder, and where programs are known to keep them."""
    for entry in _entries(folder):
        if _names_credentials(entry.name) and not entry.is_symlink():
            yield entry.path
    name = os.path.basename(folder).casefold()
    for first, *rest in CREDENTIAL_PLACES:
        path = os.path.join(folder, *rest)
        if first == name and os.path.lexists(path) and not path.endswith("/.git/config"):
            yield path
    config = os.path.join(folder, "config")
    if name == ".git" and _tells_password(config):
        yield config


def _keeps_password(entry: os.DirEntry[str]) -> bool:
    """Return whether a file is the configuration of a bare repository with a password in it."""
    is_one = entry.name == "config" and os.path.exists(os.path.join(entry.path, "..", "HEAD"))
    return is_one and _tells_password(entry.path)


def _tells_password(path: str) -> bool:
    """Return whether git's configuration has more than git needs to work without a password."""
    try:
        with open(path, "rb") as file:
            return _PASSWORD_IN_URL.search(file.read(_GIT_CONFIG_BYTES)) is not None
    except OSError:
        return False


def _gathered(paths: list[str], folder: Path) -> list[str]:
    """Return so many paths as can be kept: of folders with many protected files, the folder."""
    while len(paths) > _MOST_PLACES:
        parents = Counter(map(os.path.dirname, paths))
        parent, count = parents.most_common(1)[0]
        if parent == str(folder) or count < 2:
            raise OSError(0, f"the folder has {len(paths)} protected files")
        paths = [path for path in paths if os.path.dirname(path) != parent] + [parent]
    return paths


def credentials_at(home: Path) -> list[str]:
    """Find the credentials in a home folder: its own, and those in folders of settings."""
    found: list[str] = []
    left = itertools.count(_MOST_AT_HOME, -1)

    def look(folder: str, below: str, depth: int) -> None:
        for entry in _entries(folder):
            if next(left) <= 0:
                return
            name = f"{below}{entry.name}"
            if holds_credentials(name):
                found.append(os.path.realpath(entry.path))
            elif depth and entry.is_dir(follow_symlinks=False) and _has_settings(name):
                look(entry.path, f"{name}/", depth - 1)

    look(str(home), "", 3)
    return found


def _has_settings(name: str) -> bool:
    above = name.rpartition("/")[0]
    inside = any(name == each or each.startswith(f"{name}/") for each in _SETTINGS)
    return inside or above in _SETTINGS or (not above and name.startswith("."))


def hidden_everywhere(home: Path) -> list[str]:
    """Return what no agent may read: credentials, and sockets of other programs."""
    system = [os.path.realpath(path) for path in (*_OF_THE_SYSTEM, *_SOCKETS)]
    return [*(path for path in system if os.path.exists(path)), *credentials_at(home)]


def temporary_folders() -> list[str]:
    """Return the folders that all programs use for temporary files."""
    return [os.path.realpath("/tmp")]  # noqa: S108 - it is hidden


def agent_places(spec: AgentSpec, env: Mapping[str, str]) -> AgentPlaces:
    """Return what an agent needs outside the session's folder.

    Its state comes from what is known of it, and from its entry. Programs are all that its command,
    its arguments and its PATH name, and this environment's own.

    Parameters
    ----------
    env
        The environment that it gets.
    """
    known = known_of(spec)
    state = () if known is None else known.state
    settings = {} if known is None else _settings_of(known, env)
    if LOCKED in spec.args:
        settings[os.path.realpath(spec.args[spec.args.index("--folder") + 1])] = "folder"
    caches = own_caches(spec, env)
    return AgentPlaces(
        state=(*_expanded_all(state, env), caches),
        settings=settings,
        caches=caches,
        writable=tuple(_expanded_all((*spec.sandbox.writable, *_own_folders(spec)), env)),
        readable=tuple(dict.fromkeys(_programs(spec, env))),
    )


def _settings_of(known: Known, env: Mapping[str, str]) -> dict[str, Literal["folder", "file"]]:
    """Return an agent's own settings by their paths; folders are written with a slash."""
    found = ((each, expanded(each, env)) for each in known.settings)
    return {
        os.path.realpath(path): "folder" if each.endswith("/") else "file"
        for each, path in found
        if path
    }


def _own_folders(spec: AgentSpec) -> Iterator[str]:
    """Yield the folders that its entry names for it: to work in, and for temporary files."""
    yield from spec.additional_directories
    if "TMPDIR" in spec.env:
        yield spec.env["TMPDIR"]


def _expanded_all(paths: Iterable[str], env: Mapping[str, str]) -> Iterator[str]:
    return (os.path.realpath(path) for each in paths if (path := expanded(each, env)))


def own_caches(spec: AgentSpec, env: Mapping[str, str]) -> str:
    """Return the folder of the caches that an agent's package managers have in its sandboxes.

    What is in them is run in sandboxes alone: the user's own caches can't be filled from there.
    """
    name = _NO_NAME.sub("-", spec.id)
    path = expanded(f"${{XDG_CACHE_HOME:-~/.cache}}/acp-jupyter/sandboxes/{name}", env)
    return os.path.realpath(path)


_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def other_agents_state(spec: AgentSpec, env: Mapping[str, str]) -> list[str]:
    """Return the state of the agents that are known, but for this one's."""
    own = known_of(spec)
    others = itertools.chain.from_iterable(
        (*each.state, *each.settings) for each in KNOWN if each is not own
    )
    return [
        os.path.realpath(path) for each in others if os.path.exists(path := expanded(each, env))
    ]


def known_of(spec: AgentSpec) -> Known | None:
    """Return what is known of an agent, by its id or by the program that it is."""
    words = {os.path.basename(word).partition("@")[0] for word in (spec.command, *spec.args)}
    words |= {word.rpartition("@")[0] for word in spec.args if word.startswith("@")}
    for known in KNOWN:
        names = {known.id, known.command, known.package.rpartition("@")[0], *known.listed}
        if spec.id in names or not words.isdisjoint(names - {""}):
            return known
    return None


_VARIABLE = re.compile(r"\$\{(\w+):-((?:[^{}]|\$\{[^{}]*\})*)\}")


def expanded(path: str, env: Mapping[str, str]) -> str:
    """Return a path with ``~`` and ``${NAME:-default}`` in place, as a shell reads them.

    Returns
    -------
    str
        Empty where it is not absolute.
    """
    while found := _VARIABLE.search(path):
        value = env.get(found[1]) or found[2]
        path = path[: found.start()] + value + path[found.end() :]
    home = env.get("HOME") or str(Path.home())
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return path if os.path.isabs(path) else ""


def _programs(spec: AgentSpec, env: Mapping[str, str]) -> Iterator[str]:
    own = (sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(__file__).resolve().parents[3]))
    yield from map(os.path.realpath, own)
    search = env.get("PATH", os.defpath)
    named = [spec.command, *spec.args, *spec.sandbox.readable, *_SHOWN_OF_SOCKETS]
    named.append(os.path.realpath("/etc/resolv.conf"))
    found = shutil.which(spec.command, path=search)
    for path in (*named, *([found] if found else [])):
        if os.path.isabs(path) and os.path.exists(path):
            real = os.path.realpath(path)
            yield real
            yield os.path.dirname(os.path.abspath(path)) if os.path.isfile(path) else real
            yield _package(real) if os.path.isfile(real) else real
    for folder in search.split(os.pathsep):
        if os.path.isabs(folder) and os.path.isdir(folder):
            yield os.path.realpath(folder)


def _package(file: str) -> str:
    """Return the folder of a program's file; of one from npm the folder of all packages."""
    before, modules, _ = file.partition(f"{os.sep}node_modules{os.sep}")
    return os.path.join(before, "node_modules") if modules else os.path.dirname(file)
