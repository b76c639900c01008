"""What the input of a command says beside the command itself.

A field that is not in these tables may change what is run, or with which rights. So it is shown,
and nobody but the user allows a request that has one.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from pydantic import JsonValue

from acp_jupyter.packets.json_fields import Obj, first, text
from acp_jupyter.packets.paths import relative_path

__all__ = ["WORDS", "CommandFields", "field_name", "is_nothing", "read_command_fields"]

WORDS = frozenset(
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
"""How long is waited for it, and how much is told of what it puts out."""
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
        if is_nothing(value) or _is_understood(name, value, source):
            continue
        if name in _FOLDERS and isinstance(value, str):
            if _is_own(value, cwd):
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


def is_nothing(value: JsonValue) -> bool:
    """Tell whether a field is as good as absent."""
    return value is None or value == "" or value == [] or value == {}


def _is_understood(name: str, value: JsonValue, source: Obj) -> bool:
    match value:
        case _ if name in {"command", "cmd"}:
            words = value if isinstance(value, list) else [value]
            is_text = all(isinstance(word, str) for word in words)
            return is_text and value == first(source, "command", "cmd")
        case _ if name in _CODEX:
            return True
        case str() if name in WORDS or name in _IDS:
            return True
        case int() | float() if name in _NUMBERS or name in _IDS:
            return True
        case _:
            return any(
                value is each or (value == each and text(each)) for each in _ORDINARY.get(name, ())
            )


def _is_own(folder: str, cwd: str) -> bool:
    parts = folder.replace("\\", "/").split("/")
    if ".." in parts:
        return False  # behind a link this leads elsewhere
    return posixpath.normpath(relative_path(folder.rstrip("/\\") or "/", cwd)) == "."
