"""Decides who changed a file, by what was observed at the time of the change.

It was the agent if it wrote the file through the host, if a tool call names the file, if a call or
command that may write was running, or if the process of an agent without any announced call wrote
to a disk. Another turn's agent counts by the same evidence. It was a person if a command that they
started was running. A person's saves are theirs, too: the base tree of the turn's changes includes
them, see `TurnCheckpoints`. Any other change is of an unknown author.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.protocol.host_events.session import Author
from acp_jupyter.transcript.model.evidence import Span, TurnEvidence
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall

_ONLY_LOOKS = {"read", "search", "fetch", "switch_mode"}
"""Kinds of calls that write nothing."""
_NOT_RUN = {"pending", "rejected", "cancelled", "expired"}
"""States of a permission request without which a call did not run."""
_ANNOUNCED_LATE_SECONDS = 2.0
"""An agent announces a call and begins; its line may be read later than that."""
_TICK_SECONDS = 0.01
"""How far times of files may lag behind the clock."""


@dataclass(frozen=True, slots=True)
class AuthorEvidence:
    """The evidence about one turn. Paths are absolute."""

    root: str
    claimed: frozenset[str] = frozenset()
    """Files that the agent wrote through the host, or that its calls name."""
    spans: tuple[Span, ...] = ()
    """When calls or commands of the agent ran that may write; sorted and disjoint."""
    wide: tuple[Span, ...] = ()
    """The same spans, with the time in which a call may have begun before it was announced."""
    saved: frozenset[str] = frozenset()
    """Files that a person saved, with changes of their own."""
    by_user: tuple[Span, ...] = ()
    """When commands ran that a person started; sorted and disjoint."""
    alone: bool = False
    """Whether only the agent uses the folder: it is a copy, or a recording is played."""

    def covers(self, path: str, at: float | None, *, wide: bool = False) -> bool:
        """Return whether the agent was active when a file in its folder changed."""
        return self._within(self.wide if wide else self.spans, path, at)

    def ran_for_user(self, path: str, at: float | None) -> bool:
        """Return whether a person's command ran when a file in the folder changed."""
        return self._within(self.by_user, path, at)

    def _within(self, spans: tuple[Span, ...], path: str, at: float | None) -> bool:
        if at is None or not path.startswith(f"{self.root.rstrip('/')}/"):
            return False
        place = bisect_right(spans, (at + _TICK_SECONDS, float("inf"))) - 1
        return place >= 0 and at <= spans[place][1]


def author_of(
    paths: Collection[str], at: float | None, own: AuthorEvidence, others: Sequence[AuthorEvidence]
) -> Author:
    """Return who made a change that a turn has found."""
    if own.alone or not own.claimed.isdisjoint(paths):
        return "agent"
    if any(not other.claimed.isdisjoint(paths) for other in others):
        return "another"
    yours = any(each.ran_for_user(path, at) for each in (own, *others) for path in paths)
    for wide in (False, True):
        ours = any(own.covers(path, at, wide=wide) for path in paths)
        theirs = any(other.covers(path, at, wide=wide) for other in others for path in paths)
        if ours or theirs:
            both = yours or (ours and theirs)
            return "unknown" if both else "agent" if ours else "another"
        if yours:
            return "you"
    return "unknown"


class Authors:
    """Decides who made the changes of one turn. Blocks.

    Parameters
    ----------
    notebook
        The turn's notebook, relative to the folder; it is only asked about if tools wrote in it.
    """

    def __init__(
        self, root: Path, own: AuthorEvidence, others: Sequence[AuthorEvidence], notebook: str = ""
    ) -> None:
        self._top = os.path.realpath(root)
        self._own = own
        self._others = others
        self._notebook = notebook

    def of(self, path: str, old_path: str = "", *, is_compared: bool = True) -> Author:
        """Return who changed a file.

        Parameters
        ----------
        path, old_path
            The file's path, and its former path if it was renamed; relative to the folder.
        """
        if self._own.alone or (self._notebook and path == self._notebook):
            return "agent"
        paths = [os.path.normpath(os.path.join(self._top, p)) for p in (path, old_path) if p]
        author = author_of(paths, changed_at(paths[0]), self._own, self._others)
        saved = not is_compared and paths[0] in self._own.saved
        return "you" if author == "unknown" and saved else author


def changed_at(path: str) -> float | None:
    """Return when a file was last changed; if it is gone, when its folder was. Blocks."""
    try:
        status = os.lstat(path)
    except OSError:
        folder = os.path.dirname(path)
        while folder != os.path.dirname(folder):
            try:
                return os.lstat(folder).st_mtime
            except OSError:
                folder = os.path.dirname(folder)
        return None
    return status.st_ctime  # unlike mtime, it can't be set, nor kept by copying


def author_evidence(
    transcript: Transcript, turn_id: str, root: Path, now: float, *, alone: bool = False
) -> AuthorEvidence:
    """Return the evidence about a turn so far."""
    top = os.path.realpath(root)
    evidence = transcript.evidence
    if evidence.turn_id != turn_id:
        evidence = TurnEvidence(turn_id)
    calls = list(transcript.turn_calls(turn_id))
    ran = [call for call in calls if _may_have_written(call) and not _is_users(call)]
    named = {
        os.path.normpath(os.path.join(top, path))
        for call in ran
        for path in (call.path, *(p.path for p in call.locations), *(d.path for d in call.diffs))
        if path
    }
    spans: list[Span] = [*evidence.disk]
    spans += [(begun, ended or now) for _, (begun, ended) in evidence.terminals.items()]
    begun = transcript.turns[turn_id].started_at if turn_id in transcript.turns else None
    if transcript.background.items:
        spans.append((begun or now, now))
    wide = [*spans]
    for call in ran:
        spans += _spans_of(call, evidence, now, 0.0)
        wide += _spans_of(call, evidence, now, _ANNOUNCED_LATE_SECONDS)
    written = {path for path, _ in evidence.written.items()}
    saved = frozenset(path for path, _ in evidence.saved.items())
    by_user = [(begun, ended or now) for _, (begun, ended) in evidence.by_user.items()]
    return AuthorEvidence(
        top,
        frozenset(named | written),
        tuple(_joined(spans)),
        tuple(_joined(wide)),
        saved,
        tuple(_joined(by_user)),
        alone,
    )


def _may_have_written(call: ToolCall) -> bool:
    refused = call.permission is not None and call.permission.state in _NOT_RUN
    return call.tool_kind not in _ONLY_LOOKS and not refused


def _is_users(call: ToolCall) -> bool:
    """Return whether a call is a command that a person started."""
    return call.terminal is not None and call.terminal.by_user


def _spans_of(call: ToolCall, evidence: TurnEvidence, now: float, early: float) -> Iterator[Span]:
    """Yield the spans in which a call ran, without those in which it waited for an answer."""
    if call.started_at is None:
        return
    begun, end = call.started_at - early, call.ended_at or now
    waits = sorted(wait.span for wait in evidence.waits if wait.item_id == call.id)
    for since, until in waits:
        if begun < since:
            yield begun, since
        begun = max(begun, until)
    if begun <= end:
        yield begun, end


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    last: Span | None = None
    for since, until in sorted(spans):
        if last is not None and since <= last[1]:
            last = last[0], max(last[1], until)
            continue
        if last is not None:
            yield last
        last = since, until
    if last is not None:
        yield last
