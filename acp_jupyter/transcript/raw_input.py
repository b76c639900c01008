"""Reads a tool's raw input: the fields beside a command, and the paths and texts of other tools.

A field that is not in these tables may change what a call does or with which rights, or name a
path. So it is shown, and only the user may allow such a request. A value that looks like a path
counts as one; if it is outside the folder or has a scheme, the paths count as unknown.
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
"""Fields with a description for people."""
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
_ID = re.compile(r"[\w.:-]{1,200}")
_CODEX = frozenset({"availabledecisions", "parsedcmd", "proposedexecpolicyamendment"})
"""How Codex reads the command, and its possible answers besides a plain yes."""
_ORDINARY: dict[str, tuple[JsonValue, ...]] = {
    "background": (False,),
    "dangerouslydisablesandbox": (False,),
    "isbackground": (False,),
    "runinbackground": (False,),
    "sandboxpermissions": ("use_default",),
    "source": ("agent", "unified_exec_startup"),
    "withescalatedpermissions": (False,),
}
"""Fields, and the values of each that change nothing."""
_FOLDERS = frozenset({"cwd", "directory", "dirpath", "workdir", "workingdir", "workingdirectory"})
_BACKGROUND = frozenset({"background", "isbackground", "runinbackground"})


@dataclass(frozen=True, slots=True)
class CommandFields:
    """The fields beside a command, by name, as the agent sent them."""

    folder: str = ""
    """The command's folder, relative to the session's folder if inside; empty for that folder."""
    known: tuple[tuple[str, JsonValue], ...] = ()
    """Fields that are understood, but that a rule for the command does not cover."""
    unknown: tuple[tuple[str, JsonValue], ...] = ()


def read_command_fields(source: Obj, cwd: str) -> CommandFields:
    """Return the fields of a command's input beside the command itself."""
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
    """Return whether a field is as good as absent."""
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
            return _repeats(value, command_line(source))
        case str() if name in DESCRIPTION_FIELDS:
            return True
        case _ if is_label(name, value):
            return True
        case _:
            return any(
                value is each or (value == each and text(each)) for each in _ORDINARY.get(name, ())
            )


def is_label(name: str, value: JsonValue) -> bool:
    """Return whether a field is an id, a time or a limit of the output."""
    match value:
        case bool():
            return False
        case int() | float():
            return name in _NUMBERS or name in _IDS
        case str():
            return name in _IDS and bool(_ID.fullmatch(value))
        case _:
            return False


def is_off(name: str, value: JsonValue) -> bool:
    """Return whether a field is a known setting that is off."""
    return value is False and name in _SWITCHES


def _repeats(value: JsonValue, command: str) -> bool:
    """Return whether all texts in a value are parts of the command, or words without a meaning."""
    match value:
        case dict():
            return all(_repeats(each, command) for each in (*value, *value.values()))
        case list():
            return all(_repeats(each, command) for each in value)
        case str():
            return value in command or bool(_ID.fullmatch(value))
        case _:
            return True


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
WHOLE_TEXT_FIELDS = ("content", "contents", "filetext", "newcontent", "newtext", "text")
"""The whole text that a file is to hold; the first one counts."""
REPLACED_FIELDS = (("oldstring", "newstring"), ("oldstr", "newstr"), ("oldtext", "newtext"))
"""A text of a file, and its replacement."""
_CONTENT_FIELDS = frozenset({
    *WHOLE_TEXT_FIELDS, *(name for pair in REPLACED_FIELDS for name in pair),
    "cellsource", "code", "insertstr", "insertline", "newsource", "oldcontent", "oldsource",
    "prompt", "query", "regex", "replace", "replacement", "search", "searchterm",
})  # fmt: skip
"""Text that is written, looked for or replaced."""
_DIFF_FIELDS = frozenset({"diff", "unifieddiff"})
"""Diffs beside the path that they change."""
_PATCH_FIELDS = frozenset({"patch", "patchcontent", "patchtext"})
_GLOB_FIELDS = frozenset({"exclude", "glob", "globpattern", "include", "includepattern", "pattern"})
_CONTAINERS = frozenset({"edit", "filefilteringoptions", "operations"})
"""Objects and lists of fields that are in these tables."""
_SWITCHES = frozenset({
    "allowmultiple", "casesensitive", "createdirs", "createfolders", "fixedstrings", "i",
    "ignorecase", "multiline", "n", "namesonly", "noignore", "overwrite", "recursive",
    "replaceall", "respectgeminiignore", "respectgitignore", "respectqwenignore", "showhidden",
    "sortbytime", "usedefaultexcludes",
})  # fmt: skip
"""Settings of a tool for files that are true or false."""
_COUNTS = frozenset({
    "a", "additions", "after", "b", "before", "c", "cellindex", "context", "contextlines", "count",
    "deletions", "depth", "endline", "expectedreplacements", "headlimit", "insertline", "length",
    "limit", "line", "linecount", "lineend", "lineoffset", "lines", "linestart", "maxdepth",
    "maxmatchesperfile", "maxresults", "maxtokens", "n", "nlines", "offset", "startline",
    "totalmaxmatches", "viewrange",
})  # fmt: skip
"""Numbers, or lists of them."""
_CHOICES: dict[str, frozenset[str]] = {
    "celltype": frozenset({"code", "markdown", "raw"}),
    "changetype": frozenset({"add", "create", "delete", "edit", "modify", "move", "update"}),
    "command": frozenset({"create", "insert", "str_replace", "undo_edit", "view", "write"}),
    "editmode": frozenset({"delete", "insert", "replace"}),
    "encoding": frozenset({"utf-8", "utf8"}),
    "kind": frozenset({"add", "create", "delete", "edit", "modify", "move", "update"}),
    "mode": frozenset({"append", "create", "overwrite", "write"}),
    "outputmode": frozenset({"content", "count", "files_with_matches"}),
    "type": frozenset({"add", "create", "delete", "edit", "modify", "move", "update"}),
}
"""Words that a field may have."""
_TOLD_BY_A_DIFF = frozenset({"add", "create", "edit", "modify", "str_replace", "update", "write"})
_ID_FIELDS = frozenset({"cellid"})
_MAX_DEPTH = 6
_MAX_VALUES = 2_000
_MAX_CHARS = 1_000_000
_MAX_PATH_CHARS = 4_096
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?=\S)")
_FILE_NAME = re.compile(r"\.?[\w-][\w.-]*\.[A-Za-z]\w{0,9}|\.[\w.-]+")
_PATCH_FILE = re.compile(r"\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)")
_HEADER = re.compile(r"(?:Index: |rename (?:from|to) |copy (?:from|to) )(.+)")
_GIT = re.compile(r"diff --git a/(.+) b/(.+)")


@dataclass(slots=True)
class FieldContents:
    """What a field of a file tool's input contains, at any depth."""

    paths: set[str] = field(default_factory=set)
    """The paths that the field names; relative if inside the folder."""
    texts: list[str] = field(default_factory=list)
    """The texts that the tool writes, searches for or replaces."""
    patches: list[str] = field(default_factory=list)
    is_clear: bool = True
    """Whether all of its paths are known."""
    is_known: bool = True
    """Whether every field in it is in a table here."""
    is_set: bool = False
    """Whether the field contains a setting other than false."""


def local_path(text: str, cwd: str) -> str | None:
    """Return a path as it is shown; None if the text is not a path on this machine.

    A ``file:`` address becomes a path, unless it names another host.
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


def read_path_fields(source: Obj, cwd: str, *, is_grep: bool = False) -> dict[str, FieldContents]:
    """Return the contents of each field of an input that is not null."""
    reader = _FieldReader(cwd, is_grep)
    return {key: reader.field(key, value) for key, value in source.items() if value is not None}


class _FieldReader:
    """Reads the fields of an input one after the other."""

    def __init__(self, cwd: str, is_grep: bool) -> None:
        self._cwd = cwd
        self._is_grep = is_grep
        self._left = _MAX_VALUES
        self._found = FieldContents()

    def field(self, key: str, value: JsonValue) -> FieldContents:
        self._found = FieldContents()
        self._read(field_name(key), value, 0)
        return self._found

    def _read(self, name: str, value: JsonValue, depth: int, *, listed: bool = False) -> None:
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            self._found.is_clear = self._found.is_known = False
            return
        match value:
            case dict():
                self._object(name, value, depth, listed=listed)
            case list():
                for inner in value:
                    self._read(name, inner, depth + 1, listed=True)
            case str() if value:
                self._text(name, value)
            case True if name in _SWITCHES:
                self._found.is_set = True
            case bool() if name not in _SWITCHES:
                self._found.is_known = False
            case int() | float() if not isinstance(value, bool):
                self._number(name, value)
            case _:
                pass

    def _object(self, name: str, value: Obj, depth: int, *, listed: bool) -> None:
        if not _is_known(name):
            self._found.is_known = False
        for key, inner in value.items():
            if name in _BY_PATH_FIELDS and not listed:
                self._path(key)
                if isinstance(inner, dict):
                    for field_of_file, deeper in inner.items():
                        self._read(field_name(field_of_file), deeper, depth + 2)
                else:
                    self._read("content", inner, depth + 1)
            else:
                self._read(name if name in _CONTENT_FIELDS else field_name(key), inner, depth + 1)

    def _number(self, name: str, value: float) -> None:
        if name in _CONTENT_FIELDS:
            self._found.texts.append(str(value))
        elif name in _COUNTS:
            self._found.is_set = True
        elif not is_label(name, value):
            self._found.is_known = False

    def _text(self, name: str, value: str) -> None:
        if name in _DIFF_FIELDS or name in _PATCH_FIELDS:
            self._found.patches.append(value)
            self._patch(value, must_name=name in _PATCH_FIELDS)
        elif name in _CHOICES:
            self._found.is_set |= value.lower() not in _TOLD_BY_A_DIFF
            self._found.is_known &= value.lower() in _CHOICES[name]
        elif name in _PATH_FIELDS or name in _BY_PATH_FIELDS:
            self._path(value)
        elif name in _GLOB_FIELDS:
            self._found.texts.append(value)
            self._glob(name, value)
        elif name in _CONTENT_FIELDS or name in DESCRIPTION_FIELDS:
            self._found.texts.append(value)
        elif name in _ID_FIELDS and _ID.fullmatch(value):
            self._found.is_set = True
        elif not is_label(name, value):
            self._unknown(value)

    def _path(self, value: str) -> None:
        path = local_path(value, self._cwd)
        if path is None:
            self._found.is_clear = False
        else:
            self._found.paths.add(path)

    def _glob(self, name: str, value: str) -> None:
        if not (self._is_grep and name == "pattern") and _leads_out(
            relative_path(value, self._cwd)
        ):
            self._found.is_clear = False

    def _unknown(self, value: str) -> None:
        if "*** " in value and any(map(_PATCH_FILE.match, value[:_MAX_CHARS].splitlines())):
            self._found.patches.append(value)
            self._patch(value, must_name=True)
            return
        self._found.is_known = False
        value = value.strip()
        path = relative_path(value, self._cwd)
        if _leads_out(path) or _SCHEME.match(path):
            self._found.is_clear = False
        elif "\n" in path or len(path) > _MAX_PATH_CHARS:
            return
        elif "/" in path or "\\" in path or path == "." or _FILE_NAME.fullmatch(path):
            self._found.paths.add(path)

    def _patch(self, value: str, *, must_name: bool) -> None:
        named = list(_patched(value)) if len(value) <= _MAX_CHARS else []
        if not named and (must_name or len(value) > _MAX_CHARS):
            self._found.is_clear = False
        for path in named:
            if path.startswith('"'):
                self._found.is_clear = False  # git's way to write other characters
            elif path != "/dev/null":
                self._path(path)


def _is_known(name: str) -> bool:
    """Return whether a field is in one of the tables for files."""
    tables = (
        *(_PATH_FIELDS, _BY_PATH_FIELDS, _CONTENT_FIELDS, _DIFF_FIELDS, _PATCH_FIELDS),
        *(_GLOB_FIELDS, _CONTAINERS, _SWITCHES, _COUNTS, _CHOICES, _ID_FIELDS, _IDS, _NUMBERS),
        DESCRIPTION_FIELDS,
    )
    return any(name in table for table in tables)


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
