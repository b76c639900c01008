"""Fields of a tool's raw input: those beside a command, and the paths that it names.

A field that is not in these tables may change what is run, or with which rights, or name a path. So
it is shown, and nobody but the user allows a request that has one. What looks like a path counts
as one; what leads out of the folder, or has a scheme, means that the paths are unknown.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.objects import Obj, first, text
from acp_jupyter.protocol.tools.inputs import command_line

DESCRIPTION_FIELDS = frozenset(
    {"description", "explanation", "justification", "purpose", "reason", "summary", "title"}
)
"""For people."""
_NUMBERS = frozenset(
    {
        "maxoutputlength",
        "maxoutputtokens",
        "startedatms",
        "timeout",
        "timeoutms",
        "timeoutseconds",
        "yieldtimems",
    }
)
"""Times, and limits of the output; compared without case and underscores."""
_IDS = frozenset({"approvalid", "callid", "processid", "turnid"})
_CODEX = frozenset({"availabledecisions", "parsedcmd", "proposedexecpolicyamendment"})
"""How Codex reads the command, and what else than a plain yes it could be answered."""
_ORDINARY: dict[str, tuple[JsonValue, ...]] = {
    "background": (False,),
    "dangerouslydisablesandbox": (False,),
    "isbackground": (False,),
    "runinbackground": (False,),
    "sandboxpermissions": ("use_default",),
    "source": ("agent", "unified_exec_startup"),
    "withescalatedpermissions": (False,),
}
"""Fields of which only these values change nothing."""
_FOLDERS = frozenset({"cwd", "directory", "dirpath", "workdir", "workingdir", "workingdirectory"})
_BACKGROUND = frozenset({"background", "isbackground", "runinbackground"})


@dataclass(frozen=True, slots=True)
class CommandFields:
    """The fields that are left, by name, as the agent sent them."""

    folder: str = ""
    """Where it runs, relative where that is inside; empty for the session's folder."""
    known: tuple[tuple[str, JsonValue], ...] = ()
    """Understood, and not what a rule for the command covers."""
    unknown: tuple[tuple[str, JsonValue], ...] = ()


def read_command_fields(source: Obj, cwd: str) -> CommandFields:
    """Tell what a command's input says beside the command."""
    folder = ""
    known: list[tuple[str, JsonValue]] = []
    unknown: list[tuple[str, JsonValue]] = []
    for key, value in source.items():
        name = field_name(key)
        if is_empty_value(value) or _is_understood(name, value, source):
            continue
        if name in _FOLDERS and isinstance(value, str):
            if _is_session_folder(value, cwd):
                continue
            if folder:
                unknown.append((key, value))
            else:
                folder = relative_path(value, cwd)
        elif name in _BACKGROUND and value is True:
            known.append((key, value))
        else:
            unknown.append((key, value))
    return CommandFields(folder, tuple(known), tuple(unknown))


def field_name(key: str) -> str:
    """Return a field's name in the one spelling of the tables."""
    return key.replace("_", "").replace("-", "").lower()


def is_empty_value(value: JsonValue) -> bool:
    """Tell whether a field is as good as absent."""
    return value is None or value == "" or value == [] or value == {}


def _is_understood(name: str, value: JsonValue, source: Obj) -> bool:
    match value:
        case _ if name in {"command", "cmd"}:
            words = value if isinstance(value, list) else [value]
            is_text = all(isinstance(word, str) for word in words)
            return is_text and value == first(source, "command", "cmd")
        case [str(line)] if name == "commands":  # of several each runs by itself
            return first(source, "command", "cmd") is None and line == command_line(source)
        case _ if name in _CODEX:
            return True
        case str() if name in DESCRIPTION_FIELDS or name in _IDS:
            return True
        case int() | float() if name in _NUMBERS or name in _IDS:
            return True
        case _:
            return any(
                value is each or (value == each and text(each)) for each in _ORDINARY.get(name, ())
            )


def _is_session_folder(folder: str, cwd: str) -> bool:
    parts = folder.replace("\\", "/").split("/")
    if ".." in parts:
        return False  # behind a link this leads elsewhere
    return posixpath.normpath(relative_path(folder.rstrip("/\\") or "/", cwd)) == "."


_PATH_FIELDS = frozenset({
    "absolutepath", "abspath", "absolutefilepath", "dest", "destination", "destinationpath",
    "destpath", "directory", "dirpath", "dst", "file", "filename", "filepath", "files", "folder",
    "from", "movepath", "newpath", "notebookpath", "oldpath", "output", "outputfile",
    "outputpath", "path", "paths", "saveas", "saveto", "source", "sourcepath", "src", "target",
    "targetfile", "targetpath", "to", "uri", "fileuri",
})  # fmt: skip
_BY_PATH_FIELDS = frozenset({"changes", "edits", "files", "paths"})
"""Objects whose names are paths."""
_CONTENT_FIELDS = frozenset({
    "cellsource", "code", "content", "contents", "filetext", "insertstr", "insertline",
    "newcontent", "newsource", "newstr", "newstring", "newtext", "oldcontent", "oldsource",
    "oldstr", "oldstring", "oldtext", "prompt", "query", "regex", "replace", "replacement",
    "search", "searchterm", "text",
})  # fmt: skip
"""Text that is written, looked for or replaced."""
_DIFF_FIELDS = frozenset({"diff", "unifieddiff"})
"""Beside the path that they change."""
_PATCH_FIELDS = frozenset({"patch", "patchcontent", "patchtext"})
_GLOB_FIELDS = frozenset({"exclude", "glob", "globpattern", "include", "includepattern", "pattern"})
_MOST_DEEP = 6
_MOST_VALUES = 2_000
_MOST_CHARS = 1_000_000
_MOST_PATH_CHARS = 4_096
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=\S)")
_FILE_NAME = re.compile(r"\.?[\w-][\w.-]*\.[A-Za-z]\w{0,9}|\.[\w.-]+")
_PATCH_FILE = re.compile(r"\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)")
_HEADER = re.compile(r"(?:Index: |rename (?:from|to) |copy (?:from|to) )(.+)")
_GIT = re.compile(r"diff --git a/(.+) b/(.+)")


@dataclass(slots=True)
class PathFields:
    """What an input names."""

    paths: set[str] = field(default_factory=set)
    """Relative where they lie inside the folder."""
    unclear: set[str] = field(default_factory=set)
    """Fields whose paths can't be determined."""
    by_field: dict[str, set[str]] = field(default_factory=dict)


def local_path(text: str, cwd: str) -> str | None:
    """Return a path as people read it; None for what is no path on this machine.

    ``file:`` addresses become paths; those with a host do not.
    """
    if text.lower().startswith("file:"):
        try:
            parts = urlsplit(text)
        except ValueError:
            return None
        if parts.netloc.lower() not in {"", "localhost"} or parts.query or parts.fragment:
            return None
        return relative_path(unquote(parts.path), cwd) or None
    path = relative_path(text, cwd)
    scheme = _SCHEME.match(path)
    return None if scheme and (len(scheme[0]) > 2 or path[2:3] not in "/\\") else path


def read_path_fields(source: Obj, cwd: str, *, is_grep: bool = False) -> PathFields:
    """Tell which paths an input names, at any depth.

    Parameters
    ----------
    source
        The input.
    cwd
        The session's folder.
    is_grep
        Whether its pattern is looked for in texts, and not in names.
    """
    found = PathFields()
    reader = _PathReader(cwd, is_grep)
    for key, value in source.items():
        reader.paths, reader.clear = set(), True
        reader.read(field_name(key), value, 0)
        found.paths |= reader.paths
        found.by_field[key] = reader.paths
        if not reader.clear:
            found.unclear.add(key)
    return found


class _PathReader:
    def __init__(self, cwd: str, is_grep: bool) -> None:
        self.cwd = cwd
        self.is_grep = is_grep
        self.paths: set[str] = set()
        self.clear = True
        self._left = _MOST_VALUES

    def read(self, name: str, value: JsonValue, depth: int, *, listed: bool = False) -> None:
        self._left -= 1
        if depth > _MOST_DEEP or self._left < 0:
            self.clear = False
            return
        match value:
            case dict():
                for key, inner in value.items():
                    is_field = listed and field_name(key) in _PATH_FIELDS
                    if name in _BY_PATH_FIELDS and not is_field:
                        self._path(key)
                    self.read(
                        name if name in _CONTENT_FIELDS else field_name(key), inner, depth + 1
                    )
            case list():
                for inner in value:
                    self.read(name, inner, depth + 1, listed=True)
            case str() if value:
                self._text(name, value)
            case _:
                pass

    def _text(self, name: str, value: str) -> None:
        if name in _DIFF_FIELDS or name in _PATCH_FIELDS:
            self._patch(value, must_name=name in _PATCH_FIELDS)
        elif name in _PATH_FIELDS or name in _BY_PATH_FIELDS:
            self._path(value)
        elif name in _GLOB_FIELDS:
            self._glob(name, value)
        elif name not in _CONTENT_FIELDS and name not in DESCRIPTION_FIELDS:
            self._unknown(value)

    def _path(self, value: str) -> None:
        path = local_path(value, self.cwd)
        if path is None:
            self.clear = False
        else:
            self.paths.add(path)

    def _glob(self, name: str, value: str) -> None:
        if not (self.is_grep and name == "pattern") and _leads_out(relative_path(value, self.cwd)):
            self.clear = False

    def _unknown(self, value: str) -> None:
        if "*** " in value and any(map(_PATCH_FILE.match, value[:_MOST_CHARS].splitlines())):
            self._patch(value, must_name=True)
            return
        value = value.strip()
        path = relative_path(value, self.cwd)
        if _leads_out(path) or _SCHEME.match(path):
            self.clear = False
        elif "\n" in path or len(path) > _MOST_PATH_CHARS:
            return
        elif "/" in path or "\\" in path or path == "." or _FILE_NAME.fullmatch(path):
            self.paths.add(path)

    def _patch(self, value: str, *, must_name: bool) -> None:
        named = list(_patched(value)) if len(value) <= _MOST_CHARS else []
        if not named and (must_name or len(value) > _MOST_CHARS):
            self.clear = False
        for path in named:
            if path.startswith('"'):
                self.clear = False  # git's way to write other characters
            elif path != "/dev/null":
                self._path(path)


def _leads_out(path: str) -> bool:
    return path.startswith(("/", "~", "\\")) or ".." in re.split(r"[/\\]", path)


def _patched(text: str) -> Iterator[str]:
    """Yield the paths that a patch names, of every form that is in use."""
    is_git, before = False, ""
    for line in text.splitlines():
        if found := _GIT.match(line):
            is_git = True
            yield from found.groups()
        elif found := _PATCH_FILE.match(line) or _HEADER.match(line):
            yield found[1].strip()
        elif line.startswith("+++ ") and before.startswith("--- "):
            for header in (before, line):
                path = header[4:].split("\t")[0].strip()
                yield re.sub(r"\A[ab]/", "", path) if is_git else path
        before = line
