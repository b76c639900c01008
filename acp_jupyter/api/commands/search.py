"""Searches prompts and answers of all sessions."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from typing import BinaryIO, Literal

from acp_jupyter.api.access import (
    UserCaller,
)
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.sessions import (
    FoundSessions,
    FoundText,
    SearchSessions,
)
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.store.log_reader import read_said
from acp_jupyter.transcript.redactor import Redactor

_SEARCH_SECONDS = 1.5
_SEARCH_HITS = 50
_HITS_OF_SESSION = 3
_BEFORE_CHARS, _AFTER_CHARS = 60, 120


class SessionSearch:
    """Carries out ``search_sessions``, for one caller at a time."""

    def __init__(self, host: AgentHost) -> None:
        self._host = host
        self._searching = asyncio.Lock()

    @handles(SearchSessions)
    async def search(self, command: SearchSessions, caller: UserCaller) -> FoundSessions:
        """Return the hits found within the time limit."""
        pattern, (searched, last) = _pattern(command.text), _read_cursor(command.cursor)
        metas = await self._host.sessions.stored()
        states = [meta.facts for meta in metas] + [s.state for s in self._host.sessions.values()]
        places = {(each.updated_at or 0.0, each.session_id) for each in states}
        left = sorted((each for each in places if last is None or each < last), reverse=True)
        async with self._searching:
            return await asyncio.to_thread(self._look, left, pattern, searched)

    def _look(
        self, left: list[tuple[float, str]], pattern: re.Pattern[str], searched: int
    ) -> FoundSessions:
        start = time.monotonic()
        hits: list[FoundText] = []
        cursor, cut, total = "", False, searched + len(left)
        for at, session_id in left:
            found, whole = self._hits_in(session_id, pattern, start + _SEARCH_SECONDS)
            hits += found
            searched += 1
            cut = cut or not whole
            # Leave some time for the next session.
            late = time.monotonic() - start > _SEARCH_SECONDS / 2
            if searched < total and (late or len(hits) >= _SEARCH_HITS):
                cursor = f"{searched} {at!r} {session_id}"
                break
        return FoundSessions(
            hits=tuple(hits), searched=searched, total=total, next_cursor=cursor, cut=cut
        )

    def _hits_in(
        self, session_id: str, pattern: re.Pattern[str], until: float
    ) -> tuple[list[FoundText], bool]:
        """Return the first hits, one per prompt and answer, and whether these are all."""
        session = self._host.sessions.get(session_id)
        redactor = Redactor() if session is None else session.redactor
        hits: list[FoundText] = []
        known: set[tuple[str, str]] = set()
        in_time = True

        def lines(file: BinaryIO) -> Iterator[bytes]:
            nonlocal in_time
            for line in file:
                if time.monotonic() > until:
                    in_time = False
                    return
                yield line

        try:
            with self._host.traffic_path(session_id).open("rb") as file:
                for turn_id, where, said in read_said(lines(file)):
                    if pattern.search(said) is None or (turn_id, where) in known:
                        continue
                    # No line of the log has a secret, but a secret may span several chunks.
                    match = pattern.search(redactor.redact_text(said))
                    if match is None:
                        continue
                    if len(hits) == _HITS_OF_SESSION:
                        return hits, False
                    known.add((turn_id, where))
                    hits.append(_hit(session_id, turn_id, where, match))
        except OSError:
            return hits, False
        return hits, in_time


def _pattern(words: str) -> re.Pattern[str]:
    parts = words.split()
    if not parts:
        raise BadRequest("Type something to search for.")
    return re.compile(r"\s+".join(map(re.escape, parts)), re.IGNORECASE)


def _read_cursor(cursor: str) -> tuple[int, tuple[float, str] | None]:
    if not cursor:
        return 0, None
    searched, _, rest = cursor.partition(" ")
    at, _, session_id = rest.partition(" ")
    try:
        return int(searched), (float(at), session_id)
    except ValueError:
        raise BadRequest("This is not a cursor of a search.") from None


def _hit(
    session_id: str, turn_id: str, where: Literal["prompt", "answer"], match: re.Match[str]
) -> FoundText:
    said, start, end = match.string, match.start(), match.end()
    return FoundText(
        session_id=session_id,
        turn_id=turn_id,
        where=where,
        before=_in_a_line(
            said[max(0, start - _BEFORE_CHARS) : start], start > _BEFORE_CHARS, False
        ),
        match=_in_a_line(said[start:end], False, False),
        after=_in_a_line(said[end : end + _AFTER_CHARS], False, len(said) > end + _AFTER_CHARS),
    )


def _in_a_line(part: str, more_before: bool, more_after: bool) -> str:
    return "…" * more_before + re.sub(r"\s+", " ", part) + "…" * more_after
