"""Finds on disk what the walls of a sandbox are about: protected files, credentials, programs.

All functions read the file system, and so block.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from acp_jupyter.host.public_registry.known import KNOWN, KnownAgent
from acp_jupyter.host.public_registry.packages import LOCKED
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.credential_files import CREDENTIAL_PLACES
from acp_jupyter.host.requests.protected_paths import holds_credentials, is_protected
from acp_jupyter.host.requests.session_folder import folder_entries
from acp_jupyter.host.sandbox.walls import AgentPlaces, FolderPlaces

_MAX_ENTRIES = 200_000
"""Of a session's folder that are looked at."""
_DEPTH_OF_PROTECTED = 3
"""How deep protected folders are looked through for credentials."""
_PACKAGES = frozenset({"node_modules", "site-packages", "dist-packages", "objects", "__pycache__"})
"""Folders with very many files, none of them the user's own."""
_MAX_SOCKETS = 200
_MAX_AT_HOME = 20_000

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
_PASSWORD_IN_URL = re.compile(rb"://[^/\s@:]*:[^/\s@]+@|extraheader|://[^/\s:@]{20,}@", re.I)
_GIT_CONFIG_BYTES = 256 * 1024


def places_in(folder: Path, most: int) -> FolderPlaces:
    """Find what is protected, and what holds credentials, in a session's folder.

    Parameters
    ----------
    most
        So many of one kind can be kept; of more, whole folders are kept from changes, or hidden.
    """
    protected: list[str] = []
    credentials: list[str] = []
    inside = os.path.join(folder, "")
    left = _MAX_ENTRIES
    todo = [str(folder)]
    while todo:
        for entry in folder_entries(todo.pop()):
            left -= 1
            if left < 0:
                raise OSError(0, f"the folder has more than {_MAX_ENTRIES} files")
            if entry.is_symlink():
                protected += _protected_by_link(entry, inside)
                credentials += _credentials_by_link(entry)
            elif _names_credentials(entry.name) or _keeps_password(entry):
                credentials.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if _is_protected(entry.name) or _is_special(entry.path):
                    protected.append(entry.path)
                    credentials += _credentials_in(entry.path)
                else:
                    todo.append(entry.path)
            elif _is_protected(entry.name) or _links(entry) > 1:
                protected.append(entry.path)
    protected += [path for path in own_programs() if path.startswith(inside)]
    return FolderPlaces(
        protected=tuple(_gathered(protected, folder, most, "protected files")),
        credentials=tuple(_gathered(credentials, folder, most, "files that may hold credentials")),
    )


def _protected_by_link(entry: os.DirEntry[str], inside: str) -> Iterator[str]:
    """Yield what a link with a protected name leads to, in the folder."""
    target = os.path.realpath(entry.path)
    if _is_protected(entry.name) and target.startswith(inside) and os.path.exists(target):
        yield target


def _credentials_by_link(entry: os.DirEntry[str]) -> Iterator[str]:
    target = os.path.realpath(entry.path)
    if _names_credentials(entry.name) and os.path.isfile(target):
        yield target


def _links(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_nlink
    except OSError:  # it is gone
        return 0


@lru_cache(maxsize=20_000)
def _is_protected(name: str) -> bool:
    return is_protected(name)


@lru_cache(maxsize=20_000)
def _names_credentials(name: str) -> bool:
    return holds_credentials(name)


def _is_special(folder: str) -> bool:
    """Return whether a folder is a Python environment or a bare git repository."""
    if any(os.path.exists(os.path.join(folder, n)) for n in ("pyvenv.cfg", "conda-meta")):
        return True
    return _is_bare(folder)


def _is_bare(folder: str) -> bool:
    return all(os.path.exists(os.path.join(folder, n)) for n in ("HEAD", "objects", "refs"))


def _credentials_in(folder: str) -> Iterator[str]:
    """Find those near the top of a protected folder, and where programs are known to keep them."""
    yield from _named_below(folder, _DEPTH_OF_PROTECTED)
    name = os.path.basename(folder).casefold()
    for first, *rest in CREDENTIAL_PLACES:
        path = os.path.join(folder, *rest)
        if first == name and os.path.lexists(path) and not path.endswith("/.git/config"):
            yield path
    config = os.path.join(folder, "config")
    if (name == ".git" or _is_bare(folder)) and _tells_password(config):
        yield config


def _named_below(folder: str, depth: int) -> Iterator[str]:
    if os.path.basename(folder) in _PACKAGES or os.path.exists(os.path.join(folder, "pyvenv.cfg")):
        return
    for entry in itertools.islice(folder_entries(folder), _MAX_AT_HOME):
        if entry.is_symlink():
            continue
        if _names_credentials(entry.name):
            yield entry.path
        elif depth and entry.is_dir(follow_symlinks=False):
            yield from _named_below(entry.path, depth - 1)


def _keeps_password(entry: os.DirEntry[str]) -> bool:
    """Return whether a file is the configuration of a bare repository with a password in it."""
    if entry.name != "config":
        return False
    return _is_bare(os.path.dirname(entry.path)) and _tells_password(entry.path)


def _tells_password(path: str) -> bool:
    """Return whether git's configuration has more than git needs to work without a password."""
    try:
        with open(path, "rb") as file:
            return _PASSWORD_IN_URL.search(file.read(_GIT_CONFIG_BYTES)) is not None
    except OSError:
        return False


def _gathered(paths: list[str], folder: Path, most: int, what: str) -> list[str]:
    """Return so many paths as can be kept: of folders with many protected files, the folder."""
    while len(paths) > most:
        parents = Counter(map(os.path.dirname, paths))
        parent, count = parents.most_common(1)[0]
        if parent == str(folder) or count < 2:
            raise OSError(0, f"the folder has {len(paths)} {what}")
        paths = [path for path in paths if os.path.dirname(path) != parent] + [parent]
    return paths


def credentials_at(home: Path) -> list[str]:
    """Find the credentials in a home folder: its own, and those in folders of settings."""
    found: list[str] = []
    left = itertools.count(_MAX_AT_HOME, -1)

    def look(folder: str, below: str, depth: int) -> None:
        for entry in folder_entries(folder):
            if next(left) <= 0:
                return
            name = f"{below}{entry.name}"
            if _names_credentials(name):
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


def temporary_folders(home: Path) -> list[str]:
    """Return the folders that all programs use for temporary files; none that holds a home."""
    named = ("/tmp", "/var/tmp", tempfile.gettempdir())  # noqa: S108 - they are hidden
    found = dict.fromkeys(os.path.realpath(path) for path in named if os.path.isdir(path))
    return [path for path in found if not _is_in(os.path.realpath(home), (path,))]


def sockets_of_others(shown: Iterable[str]) -> list[str]:
    """Return the sockets in the file system where programs listen now."""
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="surrogateescape") as file:
            words = (line.rstrip("\n").split(maxsplit=7) for line in file)
            paths = dict.fromkeys(each[7] for each in words if len(each) > 7)
    except OSError:
        return []
    named = (os.path.realpath(path) for path in paths if os.path.isabs(path))
    left = tuple(shown)
    found = (path for path in named if not _is_in(path, left) and _is_reachable(path))
    return list(itertools.islice(found, _MAX_SOCKETS))


def _is_reachable(path: str) -> bool:
    """Return whether a file is there for this user, for root without its rights over others'."""
    try:
        os.stat(path)
        is_root = sys.platform != "win32" and os.geteuid() == 0
        return not is_root or all(_may_enter(os.stat(parent)) for parent in Path(path).parents)
    except OSError:
        return False


def _may_enter(folder: os.stat_result) -> bool:
    if sys.platform == "win32":
        return True
    elif folder.st_uid == os.geteuid():
        return bool(folder.st_mode & stat.S_IXUSR)
    else:
        of_group = folder.st_gid in {os.getegid(), *os.getgroups()}
        return bool(folder.st_mode & (stat.S_IXGRP if of_group else stat.S_IXOTH))


def _is_in(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == each or path.startswith(os.path.join(each, "")) for each in folders)


def agent_places(spec: AgentSpec, env: Mapping[str, str]) -> AgentPlaces:
    """Return what an agent needs outside the session's folder.

    Its state comes from what is known of it, and from its entry. Programs are all that its command,
    its arguments and its PATH name, and this environment's own.
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
        readable=tuple(dict.fromkeys((*_programs(spec, env), *trusted_certificates(spec, env)))),
    )


_CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT", "AWS_CA_BUNDLE"),
)
"""Variables that name the certificates of those whom programs trust."""


def trusted_certificates(spec: AgentSpec, env: Mapping[str, str]) -> list[str]:
    """Return the files and folders of these certificates; none that has a private key. Blocks."""
    named = filter(None, map({**env, **spec.env}.get, _CERTIFICATES))
    found = [path for path in named if os.path.isabs(path) and os.path.exists(path)]
    return [os.path.realpath(path) for path in found if not _has_key(path)]


def _has_key(path: str) -> bool:
    if os.path.isdir(path):
        return False
    try:
        with open(path, "rb") as file:
            content = file.read(_MAX_CERTIFICATES)
    except OSError:
        return True
    return len(content) == _MAX_CERTIFICATES or b"PRIVATE KEY" in content


_MAX_CERTIFICATES = 16 * 1024 * 1024


def _settings_of(known: KnownAgent, env: Mapping[str, str]) -> dict[str, Literal["folder", "file"]]:
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


def known_of(spec: AgentSpec) -> KnownAgent | None:
    """Return what is known of an agent, by its id or by the program that it is."""
    words = {os.path.basename(word).partition("@")[0] for word in (spec.command, *spec.args)}
    words |= {word.rpartition("@")[0] for word in spec.args if word.startswith("@")}
    words |= {_npm_package(word) for word in (spec.command, *spec.args)}
    for known in KNOWN:
        names = {known.id, known.command, known.package.rpartition("@")[0], *known.listed}
        if spec.id in names or not words.isdisjoint(names - {""}):
            return known
    return None


def _npm_package(script: str) -> str:
    """Return the package that a script of npm belongs to; empty for any other."""
    _, found, inside = script.rpartition("/node_modules/")
    scope = 2 if inside.startswith("@") else 1
    return "/".join(inside.split("/")[:scope]) if found else ""


_VARIABLE = re.compile(r"\$\{(\w+):-((?:[^{}]|\$\{[^{}]*\})*)\}")


def expanded(path: str, env: Mapping[str, str]) -> str:
    """Return a path with ``~`` and ``${NAME:-default}`` in place, as a shell reads them."""
    while found := _VARIABLE.search(path):
        value = env.get(found[1]) or found[2]
        path = path[: found.start()] + value + path[found.end() :]
    home = env.get("HOME") or str(Path.home())
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return path if os.path.isabs(path) else ""


def own_programs() -> list[str]:
    """Return the folders of this program and of its Python."""
    own = (sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(__file__).resolve().parents[3]))
    return list(map(os.path.realpath, own))


def _programs(spec: AgentSpec, env: Mapping[str, str]) -> Iterator[str]:
    yield from own_programs()
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
