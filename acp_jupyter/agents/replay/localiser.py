"""`Localiser`: replaces the folder and ids of a recording by those of the session that plays it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_SEPARATOR = r"[\\/]+"
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_SESSION_KEYS = frozenset({"sessionId", "session_id"})
_TERMINAL_KEYS = frozenset({"terminalId", "terminal_id"})
_PATH_BEFORE = r"(?<![\w.\-~\\/])"
_FILE_URI = r"(?<=file://)"
_PATH_AFTER = r"(?![\w\-~%]|\.\w)"
_TAIL = r"(?:[\\/]+[\w.+@~\-]+)*[\\/]*"


class Localiser:
    """Rewrites what the recorded agent said.

    Parameters
    ----------
    recorded_cwd, live_cwd
        The folder is replaced as a path of its own or at the beginning of a longer one; a name
        that only begins like it stays.
    recorded_ids, live_id
        The session's.
    """

    def __init__(
        self, recorded_cwd: str, live_cwd: str, recorded_ids: Iterable[str], live_id: str
    ) -> None:
        self._cwd = _pattern(recorded_cwd) if recorded_cwd != live_cwd else None
        self._backslashes = bool(_WINDOWS.match(recorded_cwd)) and not _WINDOWS.match(live_cwd)
        self._recorded_cwd = recorded_cwd
        self._live_cwd = live_cwd.rstrip("\\/") or live_cwd
        self._sessions = dict.fromkeys(recorded_ids, live_id)
        self.terminals: dict[str, str] = {}
        """From recorded to live ids."""

    def reversed(self) -> Localiser:
        """Return what puts the recorded folder in place of the live one."""
        return Localiser(self._live_cwd, self._recorded_cwd, (), "")

    def value(self, value: Any, key: str = "") -> Any:
        """Return any JSON value as it reads here; ``key`` is the one it stands under."""
        match value:
            case str():
                if key in _SESSION_KEYS:
                    return self._sessions.get(value, value)
                if key in _TERMINAL_KEYS:
                    return self.terminals.get(value, value)
                return self.text(value)
            case Mapping():
                return {self.text(name): self.value(item, name) for name, item in value.items()}
            case list():
                return [self.value(item) for item in value]
            case _:
                return value

    def text(self, text: str) -> str:
        """Return ``text`` with the live folder in place of the recorded one."""
        return text if self._cwd is None else self._cwd.sub(self._path, text)

    def _path(self, found: re.Match[str]) -> str:
        tail = found["tail"]
        return self._live_cwd + (re.sub(r"\\+", "/", tail) if self._backslashes else tail)


def _pattern(cwd: str) -> re.Pattern[str] | None:
    """Return what finds ``cwd``; None for a root, which begins every path."""
    parts = [part for part in re.split(_SEPARATOR, cwd) if part]
    is_windows = bool(_WINDOWS.match(cwd))
    if len(parts) < 1 + is_windows:
        return None
    if is_windows:
        path = _SEPARATOR.join(re.escape(part) for part in parts)
        if cwd.startswith("\\\\"):
            path = r"\\\\+" + path
    else:
        path = "/" + "/".join(re.escape(part) for part in parts)
    tail = _TAIL if is_windows else ""
    flags = re.IGNORECASE if is_windows else re.NOFLAG
    return re.compile(rf"(?:{_PATH_BEFORE}|{_FILE_URI}){path}{_PATH_AFTER}(?P<tail>{tail})", flags)
