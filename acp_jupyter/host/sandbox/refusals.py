"""What a failed command says that it was refused, and the wall that explains it.

Programs word it differently; what is read here names a path and one of the system's reasons. It
counts only where the walls cover that path, and the user could have done the same outside. Of the
network it counts where there is none, or where the proxy has refused a host that is named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from acp_jupyter.host.sandbox.hosts import Destination
from acp_jupyter.host.sandbox.walls import Access, Walls
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.host_events.session import SandboxLevel
from acp_jupyter.transcript.escaping import without_ansi

Reason = Literal["read_only", "denied", "missing"]

_REASONS: tuple[tuple[str, Reason], ...] = (
    (r"read-only file system|EROFS", "read_only"),
    (r"permission denied|operation not permitted|EACCES|EPERM", "denied"),
    (r"no such file or directory|ENOENT", "missing"),
)
_REASON = "|".join(pattern for pattern, _ in _REASONS)
_QUOTES = "'\"‘’“”`"
_QUOTED = rf"[{_QUOTES}](?P<path>[^{_QUOTES}\n]{{1,4000}})[{_QUOTES}]"

_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.MULTILINE)
    for form in (
        # Python: [Errno 30] Read-only file system: '/a/b' (of a rename, the second counts, too)
        rf"\[Errno \d+\] (?P<reason>{_REASON}): {_QUOTED}(?: -> ['\"](?P<other>[^'\"\n]+)['\"])?",
        # Node: EROFS: read-only file system, open '/a/b'
        rf"\b(?P<reason>EROFS|EACCES|EPERM|ENOENT): [a-z ,-]{{1,60}}, \w+ {_QUOTED}"
        r"(?: -> ['\"](?P<other>[^'\"\n]+)['\"])?",
        # git, coreutils, Rust: cannot touch '/a/b': Read-only file system (os error 30)
        rf"{_QUOTED}: (?P<reason>{_REASON})(?: \(os error \d+\))?\.?\s*$",
        # bash: line 1: /a/b: Read-only file system
        rf"(?:^|: )(?P<path>[^\s:{_QUOTES}][^:\n{_QUOTES}]{{0,4000}}): "
        rf"(?P<reason>{_REASON})\.?\s*$",
    )
)
_OF_SHELLS = re.compile(r"(?:cannot|could not|can't) [a-z ]{1,60} (?=\S+$)")
_NPM_CODE = re.compile(r"^npm (?:ERR!|error) code (EROFS|EACCES|EPERM)\s*$", re.MULTILINE)
_NPM_PATH = re.compile(r"^npm (?:ERR!|error) path (.{1,4000})$", re.MULTILINE)
_CONDA = re.compile(
    r"EnvironmentNotWritableError:.{0,200}?environment location: ([^\n]{1,4000})$",
    re.DOTALL | re.MULTILINE,
)
_NO_NETWORK = re.compile(
    r"could(?: not|n't) resolve host|(?:temporary )?failure in name resolution"
    r"|name or service not known|nodename nor servname|failed to lookup address"
    r"|network is unreachable|address family not supported|no address associated with hostname"
    r"|EAI_AGAIN|ENOTFOUND|ENETUNREACH|EAFNOSUPPORT",
    re.IGNORECASE,
)
_NESTED = re.compile(
    r"^(?:bwrap|(?P<apple>sandbox-exec)): .{0,300}: (?:operation not permitted|permission denied"
    r"|read-only file system|no such file or directory|invalid argument)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
"""How the programs that make sandboxes say that they can't."""
_HEAD_CHARS, _TAIL_CHARS = 8_000, 24_000
_MAX_REFUSALS = 20
_SHOWN_CHARS = 300


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a command was refused, by its own words."""

    path: str
    """As it is written there."""
    reason: Reason


def refusals_in(output: str) -> tuple[Refusal, ...]:
    """Return what an output says that was refused, the last first: that is what ended it."""
    found = sorted(_found(_plain(output)), key=lambda each: -each[0])
    return tuple(dict.fromkeys(refusal for _, refusal in found))[:_MAX_REFUSALS]


def _plain(output: str) -> str:
    """Return what can be looked through: both ends, without colours."""
    if len(output) > _HEAD_CHARS + _TAIL_CHARS:
        output = f"{output[:_HEAD_CHARS]}\n{output[-_TAIL_CHARS:]}"
    return without_ansi(output).replace("\r", "")


def _found(text: str) -> Iterator[tuple[int, Refusal]]:
    for form in _FORMS:
        for match in form.finditer(text):
            groups = match.groupdict()
            reason = _reason(groups["reason"])
            for path in (groups["path"], groups.get("other")):
                if path:
                    yield match.start(), Refusal(_OF_SHELLS.sub("", path.strip()), reason)
    code = _NPM_CODE.search(text)
    if code is not None:
        for match in _NPM_PATH.finditer(text):
            yield match.start(), Refusal(match[1].strip(), _reason(code[1]))
    for match in _CONDA.finditer(text):
        yield match.start(), Refusal(match[1].strip(), "denied")
        yield match.start(), Refusal(match[1].strip(), "read_only")


def _reason(words: str) -> Reason:
    return next(r for pattern, r in _REASONS if re.fullmatch(pattern, words, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class MetWall:
    """A wall that explains a refusal."""

    path: str
    """Absolute, without links; empty where it is none of a file."""
    words: str


def wall_met(output: str, folder: str, walls: Walls, level: SandboxLevel) -> MetWall | None:
    """Return the wall that explains why a command failed; None where none does. Blocks.

    Parameters
    ----------
    folder
        Where it ran; absolute. Relative paths begin there.
    """
    for refusal in refusals_in(output):
        if "\0" in refusal.path:
            continue
        path = os.path.realpath(os.path.join(folder, os.path.expanduser(refusal.path)))
        access = walls.access_to(path)
        if _explains(access, refusal.reason, level) and _can_outside(path, access):
            return MetWall(path, _words(walls, path, access))
    return None


def network_met(
    output: str, command: str, walls: Walls, refused: Sequence[Destination]
) -> MetWall | None:
    """Return the wall around the network that explains why a command failed; None for none."""
    sandbox, reach = f"The sandbox “{walls.sandbox}”", walls.network.reach
    if reach == "all":
        return None
    text = _plain(output)
    for wanted in reversed(refused):
        named = re.compile(rf"(?<![\w.-]){re.escape(wanted.host)}(?![\w-]|\.\w)", re.IGNORECASE)
        if named.search(text) or named.search(command):
            return MetWall("", f"{sandbox} does not let the agent reach {wanted.words}.")
    if not _NO_NETWORK.search(text):
        return None
    if reach == "none":
        return MetWall("", f"{sandbox} has no network: none was chosen for it.")
    return MetWall(
        "", f"{sandbox} reaches hosts by its proxy alone, and this program did not ask it."
    )


def nested_met(output: str, walls: Walls) -> MetWall | None:
    """Return why a sandbox could not be made inside this one; None if that is not what failed."""
    found = _NESTED.search(_plain(output))
    if found is None:
        return None
    program = "sandbox-exec" if found["apple"] else "bubblewrap"
    return MetWall(
        "",
        f"{program} can't make a sandbox inside the sandbox “{walls.sandbox}”. If it is the "
        "agent's own, turn that off in the agent's settings: this one holds either way.",
    )


def _explains(access: Access, reason: Reason, level: SandboxLevel) -> bool:
    """Return whether a wall of this kind refuses with such a reason."""
    if access == "write":
        return False
    if level != "full":
        return reason == "denied"
    if access == "read":
        return reason == "read_only"
    # Another folder is in its place, with nothing in it.
    return access == "hidden" or reason == "missing"


def _can_outside(path: str, access: Access) -> bool:
    """Return whether the user could do there what the wall refuses. Blocks."""
    if access != "read":
        return os.access(path, os.R_OK)
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return os.access(path, os.W_OK)


def _words(walls: Walls, path: str, access: Access) -> str:
    sandbox = f"The sandbox “{walls.sandbox}”"
    name = relative_path(path, walls.folder)
    name = name if len(name) <= _SHOWN_CHARS else f"…{name[-_SHOWN_CHARS:]}"
    inside = path == walls.folder or path.startswith(walls.folder.rstrip("/") + "/")
    if access == "hidden":
        return f"{sandbox} hides {name} from the agent."
    if access == "own":
        return f"{sandbox} has a folder of its own for temporary files: {name} is not in it."
    if not inside:
        own = "the agent's copy" if walls.sandbox == "copy" else "the session's folder"
        return f"{sandbox} keeps what is outside {own} from changes: {name}."
    if walls.sandbox == "read-only":
        return f"{sandbox} keeps all files from changes, and so {name}."
    kept = max((p.path for p in walls.places if _holds(p.path, path)), key=len)
    return f"{sandbox} keeps {relative_path(kept, walls.folder)} from changes."


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def environment_of(path: str, walls: Walls) -> str:
    """Return the folder of the Python environment that a path is in; empty for none. Blocks.

    One that an agent could have made, or that holds the session's folder, counts as none.
    """
    folder = os.path.dirname(path) if not os.path.isdir(path) else path
    while folder != os.path.dirname(folder):
        marks = (os.path.join(folder, mark) for mark in ("pyvenv.cfg", "conda-meta"))
        if any(os.path.lexists(mark) for mark in marks):
            mine = walls.access_to(folder) == "read" and not _holds(folder, walls.folder)
            return folder if mine else ""
        folder = os.path.dirname(folder)
    return ""
