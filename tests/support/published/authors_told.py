"""Whose the changes are said to be that agents make, by the logs of all sessions on the disk."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from acp_jupyter.host.store.log_reader import read_entries
from acp_jupyter.host.store.metadata import read_meta
from acp_jupyter.protocol.host_events.notes import read_note
from acp_jupyter.protocol.host_events.session import FileSaved, TurnChangesNote

__all__ = ["PROPERTY", "Told", "ToldAuthors", "table"]

PROPERTY = "whose_changes"
"""Under which a test's report has what was told in it."""

_LOGS = "*/data/acp-jupyter/sessions/*/traffic.ndjson"


class Told(NamedTuple):
    """A file of a turn, and whose change it is said to be."""

    agent: str
    turn_id: str
    path: str
    """Absolute."""
    author: str


class ToldAuthors:
    """Reads what the sessions of servers and batches have told since it looked last.

    Parameters
    ----------
    folder
        Tests make their folders in it. What is there now is of other tests.

    Attributes
    ----------
    saved
        What a page of a test may save while an agent works: its open notebooks, absolute.
    """

    def __init__(self, folder: Path) -> None:
        self.saved: set[Path] = set()
        self._folder = folder
        self._others = set(folder.glob("*"))
        self._read: dict[Path, int] = {}
        self._known: set[Told] = set()

    def check(self) -> list[Told]:
        """Return what was not told before. None of it may be said to be a person's."""
        news = self._news()
        persons = [e for e in news if e.author == "you" and Path(e.path) not in self.saved]
        assert not persons, f"called its user's, and nobody saved a file: {persons}"
        return news

    def _news(self) -> list[Told]:
        # What a session has taken over from another is told once.
        told: list[Told] = []
        for log in sorted(self._folder.glob(_LOGS)):
            if self._folder / log.relative_to(self._folder).parts[0] not in self._others:
                told += self._news_of(log)
        new = [each for each in dict.fromkeys(told) if each not in self._known]
        self._known.update(new)
        return new

    def _news_of(self, log: Path) -> Iterator[Told]:
        meta = read_meta(log.parent)
        with log.open("rb") as file:
            file.seek(self._read.get(log, 0))
            lines = [line for line in file if line.endswith(b"\n")]
        self._read[log] = self._read.get(log, 0) + sum(map(len, lines))
        agent, folder = ("", "") if meta is None else (meta.facts.agent_id, meta.facts.cwd)
        for entry in read_entries(lines):
            if entry.direction == "!":
                for turn_id, path, author in _of_note(dict(entry.message)):
                    yield Told(agent, turn_id, os.path.join(folder, path), author)


def _of_note(message: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    match read_note(message):
        case TurnChangesNote(turn_id=turn_id, files=files):
            for file in files:
                yield turn_id, file.path, file.author
                if file.yours_too:
                    yield turn_id, file.path, "you"
        case FileSaved(turn_id=turn_id, path=path, by_person=True):
            # Where nothing else has changed, there is no note of changes.
            yield turn_id, path, "you"
        case _:
            pass


def table(told: Iterable[Told]) -> list[str]:
    """Return how many files of each agent are said to be whose, and which are nobody's."""
    known = list(told)
    counts = {each.agent: Counter(agent=0, unknown=0) for each in known}
    for each in known:
        counts[each.agent][each.author] += 1
    return [
        *(
            f"{agent}: {', '.join(f'{count} {author}' for author, count in whose.items())}"
            for agent, whose in sorted(counts.items())
        ),
        *(f"{each.agent}, unknown: {each.path}" for each in known if each.author == "unknown"),
    ]
