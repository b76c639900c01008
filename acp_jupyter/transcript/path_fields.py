"""Which paths the input of a tool call names, in fields that are known and in others.

A field that is not in these tables may name a path: what looks like one counts as one, and what
leads out of the folder, or has a scheme, means that it can't be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

from acp_jupyter.packets.json_fields import Obj
from acp_jupyter.packets.paths import relative_path
from acp_jupyter.transcript.command_fields import WORDS, field_name

__all__ = ["PathFields", "path_of", "read_path_fields"]

_PATHS = frozenset({
    "absolutepath", "abspath", "absolutefilepath", "dest", "destination", "destinationpath",
    "destpath", "directory", "dirpath", "dst", "file", "filename", "filepath", "files", "folder",
    "from", "movepath", "newpath", "notebookpath", "oldpath", "output", "outputfile",
    "outputpath", "path", "paths", "saveas", "saveto", "source", "sourcepath", "src", "target",
    "targetfile", "targetpath", "to", "uri", "fileuri",
})  # fmt: skip
_BY_PATH = frozenset({"changes", "edits", "files", "paths"})
"""Objects whose names are paths."""
_CONTENT = frozenset({
    "cellsource", "code", "content", "contents", "filetext", "insertstr", "insertline",
    "newcontent", "newsource", "newstr", "newstring", "newtext", "oldcontent", "oldsource",
    "oldstr", "oldstring", "oldtext", "prompt", "query", "regex", "replace", "replacement",
    "search", "searchterm", "text",
})  # fmt: skip
"""Text that is written, looked for or replaced."""
_DIFFS = frozenset({"diff", "unifieddiff"})
"""Beside the path that they change."""
_PATCHES = frozenset({"patch", "patchcontent", "patchtext"})
_GLOBS = frozenset({"exclude", "glob", "globpattern", "include", "includepattern", "pattern"})
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
    """Fields of which it can't be told."""
    by_field: dict[str, set[str]] = field(default_factory=dict)


def path_of(text: str, cwd: str) -> str | None:
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
    reader = _Reader(cwd, is_grep)
    for key, value in source.items():
        reader.paths, reader.clear = set(), True
        reader.read(field_name(key), value, 0)
        found.paths |= reader.paths
        found.by_field[key] = reader.paths
        if not reader.clear:
            found.unclear.add(key)
    return found


class _Reader:
    def __init__(self, cwd: str, is_grep: bool) -> None:
        self.cwd = cwd
        self.is_grep = is_grep
        self.paths: set[str] = set()
        self.clear = True
        self._left = _MOST_VALUES

    def read(self, name: str, value: JsonValue, depth: int) -> None:
        self._left -= 1
        if depth > _MOST_DEEP or self._left < 0:
            self.clear = False
            return
        match value:
            case dict():
                for key, inner in value.items():
                    if name in _BY_PATH:
                        self._path(key)
                    self.read(name if name in _CONTENT else field_name(key), inner, depth + 1)
            case list():
                for inner in value:
                    self.read(name, inner, depth + 1)
            case str() if value:
                self._text(name, value)
            case _:
                pass

    def _text(self, name: str, value: str) -> None:
        if name in _DIFFS or name in _PATCHES:
            self._patch(value, must_name=name in _PATCHES)
        elif name in _PATHS or name in _BY_PATH:
            self._path(value)
        elif name in _GLOBS:
            self._glob(name, value)
        elif name not in _CONTENT and name not in WORDS:
            self._unknown(value)

    def _path(self, value: str) -> None:
        path = path_of(value, self.cwd)
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
