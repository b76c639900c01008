"""What was allowed in the running turn, as it was shown: no other change needs no question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from acp_jupyter.agents.replay.steps import Object

__all__ = ["Consent"]

_WRITES = frozenset({"edit", "move"})
_REMOVES = frozenset({"delete", "move"})
_Diff: TypeAlias = tuple[str, str, str]
"""Path, old text, new text."""


@dataclass(frozen=True, slots=True)
class _Call:
    kind: str = ""
    paths: tuple[str, ...] = ()
    diffs: tuple[_Diff, ...] = ()

    def names(self, path: str) -> bool:
        return path in self.paths or any(path == diff[0] for diff in self.diffs)


class Consent:
    """Follows the tool calls of a turn and what was answered to their permission requests.

    Parameters
    ----------
    root
        The session's folder.
    """

    def __init__(self, root: str) -> None:
        self._root = root.replace("\\", "/").rstrip("/") + "/"
        self._calls: dict[str, _Call] = {}
        self._requests: dict[int, _Call] = {}
        self._allowed: list[_Call] = []

    def begin(self) -> None:
        """Forget all: another turn begins."""
        self._calls.clear()
        self._requests.clear()
        self._allowed.clear()

    def saw(self, update: Object) -> None:
        """Take in what the client is told of a tool call."""
        call_id = update.get("toolCallId")
        if isinstance(call_id, str):
            self._calls[call_id] = self._joined(self._calls.get(call_id, _Call()), update)

    def remember_request(self, seq: int, params: Object) -> None:
        """Remember what a permission request shows."""
        call = params.get("toolCall")
        if isinstance(call, Mapping):
            self.saw(call)
            self._requests[seq] = self._calls.get(str(call.get("toolCallId")), _Call())

    def allowed(self, seq: int) -> None:
        """Take in that the request was allowed."""
        if seq in self._requests:
            self._allowed.append(self._requests.pop(seq))

    def covers(self, path: str, before: str | None, after: str | None, *, removed: bool) -> bool:
        """Tell whether a change of a file was allowed in this turn.

        Where the request showed what changes, the change must be that and no other.

        Parameters
        ----------
        path
            Relative to the folder.
        before, after
            Texts; None for a file that is not there, or is no text.
        removed
            Whether it is deleted.
        """
        naming = [call for call in self._allowed if call.names(path)]
        if removed:
            return any(call.kind in _REMOVES for call in naming)
        shown = [diff for call in naming for diff in call.diffs if diff[0] == path]
        if not shown:
            return any(call.kind in _WRITES for call in naming)
        return after is not None and _leads_to(before or "", shown, after)

    def _joined(self, call: _Call, update: Object) -> _Call:
        kind, locations, content = (update.get(k) for k in ("kind", "locations", "content"))
        if isinstance(kind, str):
            call = replace(call, kind=kind)
        if isinstance(locations, list):
            call = replace(call, paths=tuple(self._paths(locations)))
        if isinstance(content, list):
            call = replace(call, diffs=tuple(self._diffs(content)))
        return call

    def _paths(self, locations: Iterable[object]) -> Iterable[str]:
        for place in locations:
            match place:
                case {"path": str(path)}:
                    yield self._relative(path)
                case _:
                    pass

    def _diffs(self, content: Iterable[object]) -> Iterable[_Diff]:
        for part in content:
            match part:
                case {"type": "diff", "path": str(path), "newText": str(new), "oldText": str(old)}:
                    yield self._relative(path), old, new
                case {"type": "diff", "path": str(path), "newText": str(new)}:
                    yield self._relative(path), "", new
                case _:
                    pass

    def _relative(self, path: str) -> str:
        return path.replace("\\", "/").removeprefix(self._root)


def _leads_to(text: str, diffs: Iterable[_Diff], after: str) -> bool:
    """Tell whether the changes, each of a whole text or a part of it, make the one of the other."""
    for _path, old, new in diffs:
        if old in {"", text}:
            text = new
        elif text.count(old) == 1:
            text = text.replace(old, new)
        else:
            return False
    return text.rstrip("\n") == after.rstrip("\n")
