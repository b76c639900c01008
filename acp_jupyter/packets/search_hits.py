"""What the lines of a search's output say: files, lines of files, remarks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from acp_jupyter.packets.base import Model

__all__ = ["NO_FILES", "Found", "SearchHit", "read_found"]

NO_FILES = "No files found"

_TEXT_CHARS = 400
"""Longest text that is kept of a hit."""
_HIT = re.compile(r"(.+?):(\d{1,9}):(.*)")
_FOLDED_HIT = re.compile(r"\s+Line (\d{1,9}): ?(.*)")
"""Below the name of its file (opencode)."""
_REMARK = re.compile(
    r"\((?:Results?|Showing|Output|Truncated)\b.*\)|"
    r"(?:Found|Showing) \d+ (?:files?|match(?:es)?|results?|lines?)\b[^/]*|"
    r"No (?:files|matches|results) found\.?"
)
_SEPARATOR = "--"


class SearchHit(Model):
    """A line of a file that a search has found."""

    path: str
    line: int
    """From 1."""
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found."""

    files: tuple[str, ...] = ()
    """Each file once."""
    hits: tuple[SearchHit, ...] | None = None
    """The lines of them; None for a search for files."""
    remarks: tuple[str, ...] = ()
    """What the tool says beside, such as that there is more."""

    @property
    def count(self) -> int:
        """How much of what was searched for."""
        return len(self.files) if self.hits is None else len(self.hits)


def read_found(lines: Iterable[str]) -> Found:
    """Read an output: plain paths, ``path:line:text``, or lines below the name of their file.

    Beside hits, what is no hit is a remark; a line that only divides is nothing.
    """
    files: list[str] = []
    hits: list[SearchHit] = []
    remarks: list[str] = []
    heading = ""
    for whole in lines:
        line = whole.rstrip("\r")
        if not line.strip() or line == _SEPARATOR:
            continue
        found = _HIT.fullmatch(line)
        folded = _FOLDED_HIT.fullmatch(line) if heading else None
        if folded is not None:
            hits.append(_hit(heading, folded[1], folded[2]))
        elif found is not None:
            hits.append(_hit(found[1], found[2], found[3]))
        elif _REMARK.fullmatch(line):
            remarks.append(line)
        else:
            heading = line.removesuffix(":") if line.endswith(":") else ""
            files.append(line)
    if not hits:
        return Found(files=tuple(dict.fromkeys(files)), remarks=tuple(remarks))
    paths = tuple(dict.fromkeys(hit.path for hit in hits))
    headings = {f"{path}:" for path in paths}
    said = [line for line in files if line not in headings]
    return Found(files=paths, hits=tuple(hits), remarks=(*remarks, *said))


def _hit(path: str, line: str, text: str) -> SearchHit:
    return SearchHit(path=path, line=int(line), text=text[:_TEXT_CHARS])
