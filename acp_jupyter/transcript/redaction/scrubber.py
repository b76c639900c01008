"""The scrubber: takes secrets, and paths of this machine, out of what is saved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_origin
from urllib.parse import quote

from pydantic import BaseModel

from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.redaction.redactor import Redactor

M = TypeVar("M", bound=BaseModel)

_OWN_IDS = frozenset({"id", "turn_id", "session_id", "request_id"})
"""Made by the host, so that they hold nothing foreign; views find things by them."""
_NAME = "answered_by"
"""Of a person: for those who share the server, and for nobody else."""


class Scrubber:
    """Makes text fit to be saved and passed on.

    The session's folder becomes ``.``, the home folder ``~``, in all text and in every way that a
    path may be written there; secrets go by the redactor.

    Parameters
    ----------
    cwd
        The session's folder, absolute.
    home
        The user's home folder, or an empty string.
    redactor
        Replaces secrets.
    stand_in
        What the session's folder becomes.
    paths
        Other folders, and what they become.
    """

    def __init__(
        self,
        cwd: str,
        home: str,
        redactor: Redactor,
        *,
        stand_in: str = ".",
        paths: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._redactor = redactor
        self._paths: list[tuple[re.Pattern[str], str]] = []
        root = _trimmed(cwd)
        longest = sorted(paths.items(), key=lambda item: -len(item[0]))
        for path, name in ((root, stand_in), *longest, (home, "~")):
            for spelling in _spellings(_trimmed(path)):
                self._paths.append((_path_pattern(path, spelling, end=r"(?![\w-]|\.\w)"), name))
        # What begins like the folder is a neighbour of it: /srv/work-old beside /srv/work.
        name = PurePosixPath(root.replace("\\", "/")).name
        above = "" if stand_in == "." else f"{stand_in}/"
        for spelling in _spellings(root):
            self._paths.append((_path_pattern(root, spelling, end=""), f"{above}../{name}"))

    @classmethod
    def of_session(cls, session: SessionState, redactor: Redactor, home: str = "") -> Scrubber:
        """Make one for a session; its shown folder tells the home folder too."""
        if not home and session.folder.startswith("~"):
            home = session.cwd.removesuffix(session.folder.removeprefix("~"))
        return cls(session.cwd, home, redactor)

    def text(self, value: str) -> str:
        """Return the text without secrets and places."""
        value = self._redactor.redact_text(value)
        for pattern, stand_in in self._paths:
            value = pattern.sub(stand_in, value)
        return value

    def model(self, model: M) -> M:
        """Return a copy with every free text in it scrubbed, nested models included."""
        changes: dict[str, Any] = {
            name: self._value(value)
            for name, field in type(model).model_fields.items()
            if name not in _OWN_IDS
            and get_origin(field.annotation) is not Literal
            and (value := getattr(model, name)) not in (None, "", ())
        }
        if changes.get(_NAME):
            changes[_NAME] = ""
        return model.model_copy(update=changes)

    def _value(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(value)
            case tuple() | list():
                return type(value)(self._value(part) for part in value)
            case dict():
                return {self.text(str(key)): self._value(part) for key, part in value.items()}
            case BaseModel():
                return self.model(value)
            case _:
                return value


def _trimmed(path: str) -> str:
    path = path.rstrip("/\\")
    return path if len(path) > 1 and not re.fullmatch(r"[A-Za-z]:", path) else ""


def _spellings(path: str) -> list[str]:
    """Return the ways to write a path: as it is, as a URL, with slashes, escaped."""
    if not path:
        return []
    slashes = path.replace("\\", "/")
    quoted = quote(slashes, safe="/:")
    ways = {path, slashes, quoted, path.replace("\\", "\\\\")}
    return sorted(ways, key=lambda way: (-len(way), way))


def _path_pattern(path: str, spelling: str, *, end: str) -> re.Pattern[str]:
    # "/app" may be a part of "src/app"; a longer path stands for itself wherever it appears.
    flavour = PureWindowsPath if "\\" in path else PurePosixPath
    short = len(flavour(path).parts) <= 2
    begin = r"(?<![\w.~-])" if short else ""
    return re.compile(begin + re.escape(spelling) + end)
