"""Maps paths in messages between local folders and those of a remote agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import quote, unquote

_PATHS = frozenset({"cwd", "path", "file_path", "filePath", "notebook_path", "abs_path"})
_LISTS = frozenset({"additionalDirectories"})
_FILE = "file://"


class Folders:
    """Maps the paths in messages; everything else is unchanged."""

    def __init__(self, pairs: Mapping[str, str]) -> None:
        here = {_plain(a): _plain(b) for a, b in pairs.items()}
        self._there = _longest_first(here.items())
        self._here = _longest_first((b, a) for a, b in here.items())

    def to_agent(self, message: dict[str, object]) -> dict[str, object]:
        """Return a message to the agent with its paths mapped."""
        return self._map(message, self._there)

    def from_agent(self, message: dict[str, object]) -> dict[str, object]:
        """Return a message from the agent with its paths mapped."""
        return self._map(message, self._here)

    @staticmethod
    def _map(message: dict[str, object], pairs: tuple[tuple[str, str], ...]) -> dict[str, object]:
        if not pairs:
            return message
        return {key: _mapped(key, value, pairs) for key, value in message.items()}


_Pairs = tuple[tuple[str, str], ...]


def _mapped(key: str, value: object, pairs: _Pairs) -> object:
    if isinstance(value, dict):
        return {name: _mapped(str(name), part, pairs) for name, part in value.items()}
    if isinstance(value, list):
        inner = "path" if key in _LISTS else key
        return [_mapped(inner, part, pairs) for part in value]
    if isinstance(value, str) and key in _PATHS:
        return _moved(value, pairs)
    if isinstance(value, str) and key == "uri" and value.startswith(_FILE):
        path = unquote(value.removeprefix(_FILE))
        moved = _moved(path, pairs)
        return value if moved == path else _FILE + quote(moved)
    return value


def _moved(path: str, pairs: _Pairs) -> str:
    for old, new in pairs:
        if path == old or path.startswith(old + "/"):
            return new + path[len(old) :]
    return path


def _plain(folder: str) -> str:
    return folder.replace("\\", "/").rstrip("/")


def _longest_first(pairs: Iterable[tuple[str, str]]) -> _Pairs:
    return tuple(sorted(pairs, key=lambda pair: len(pair[0]), reverse=True))
