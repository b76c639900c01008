"""Records the files that a tool call's paths lead to, and checks whether they still do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from acp_jupyter.errors import FileMissing, FileRefused
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.requests.session_folder import FolderPath, SessionFolder
from acp_jupyter.host.workspace.confined_files import ConfinedFiles
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.permission_evidence import contents_of

_MAX_PATHS = 500
_MAX_CAUTIONS = 20
_READS = frozenset({"read", "search"})
_CHANGES = frozenset({"edit", "delete", "move"})


@dataclass(frozen=True, slots=True)
class CallPaths:
    """The files that a call's paths led to at one time."""

    spots: Mapping[str, FolderPath | None] = field(default_factory=dict)
    """Files by path, as the call names it; None for one outside the folder or unknown."""
    folder: str = ""
    """The folder of a command, with links resolved."""

    @classmethod
    def of(cls, call: ToolCall, folder: SessionFolder) -> Self:
        """Resolve the paths of a call. May block on the disk."""
        contents = contents_of(call, folder.cwd)
        named = [call.path, *(location.path for location in call.locations)]
        named += [diff.path for diff in call.diffs]
        named += [] if contents.evidence is None else contents.evidence.paths
        paths = list(dict.fromkeys(filter(None, named)))[:_MAX_PATHS]
        where = ""
        if call.command:
            where = os.path.realpath(os.path.join(folder.cwd, contents.folder))
        return cls(dict(zip(paths, folder.locate_all(paths), strict=True)), where)

    def names(self) -> set[str]:
        """Return all names of the files that the call is about."""
        return {name for path in self.spots for name in self.names_of(path)}

    def names_of(self, path: str) -> tuple[str, ...]:
        """Return all names of the file that a path of the call leads to."""
        spot = self.spots.get(path)
        return (path,) if spot is None else (spot.real, *spot.links)

    @property
    def led(self) -> dict[str, str]:
        """The real names of paths that lead to a file of another name in the folder."""
        spots = ((path, spot) for path, spot in self.spots.items() if spot is not None)
        return {path: spot.real for path, spot in spots if path != spot.real}

    def cautions(self, kind: str) -> Iterable[str]:
        """Yield what a user should know about the files before allowing a call of this kind."""
        found: dict[str, None] = {}
        for path, spot in self.spots.items():
            if spot is None:
                continue
            if spot.real != spot.named:
                found[f"{path} leads to {spot.real}."] = None
            if kind in _CHANGES and spot.why:
                found[f"{spot.real} is protected: it {spot.why}."] = None
            if kind in _READS and spot.secret:
                found[f"{spot.real} may hold passwords or keys."] = None
        yield from list(found)[:_MAX_CAUTIONS]
        if len(found) > _MAX_CAUTIONS:
            yield f"The same is true of {len(found) - _MAX_CAUTIONS} more."

    def other_texts(self, call: ToolCall, folder: SessionFolder) -> tuple[str, ...]:
        """Return the files without the text that the call says it replaces. Blocks."""
        if folder.root is None:
            return ()
        files = ConfinedFiles(folder.root, Limits())
        found: dict[str, None] = {}
        for diff in call.diffs:
            spot = self.spots.get(diff.path)
            if spot is None or spot.file is None:
                continue
            try:
                there = files.read_text(spot.real)
            except (FileMissing, FileRefused):
                continue
            old = _lines(diff.old_text or "")
            if old not in _lines(there) or (there and not old):
                found[spot.real] = None
        return tuple(found)

    def changed(self, now: CallPaths) -> str:
        """Return which path now leads to another file, as text; empty if none does."""
        for path, spot in self.spots.items():
            if now.spots.get(path) != spot:
                return f"{path} is no longer the file that you were asked about."
        if self.folder != now.folder:
            return "The command's folder now points to a different place than when you were asked."
        return ""


def _lines(text: str) -> str:
    """Return a text with plain line ends and without a byte order mark."""
    return text.replace("\r\n", "\n").removeprefix("\ufeff")
