"""Imports ACP traffic: renumbers one of the log's sessions, and adds notes about its turns."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp_jupyter.dialects.import_turns import (
    AFTER_TURN,
    IN_TURN,
    EntryWriter,
    ImplicitTurns,
    as_blocks,
    gen_id,
)
from acp_jupyter.protocol.host_events.notes import (
    HostNotice,
    TurnFailed,
    TurnQueued,
    TurnStartedNote,
)
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.normalise import normalise_clean
from acp_jupyter.protocol.objects import Obj, first, obj, text
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.version_2 import in_version_1

_OPEN = 10_000
_FULL = "Lines are missing here from the log: it, or the disk, was full."
_LOADS = frozenset({"session/load", "session/resume"})


class TrafficImport:
    """Renumbers one session's lines and assigns them to turns.

    Parameters
    ----------
    session_id
        The session to import; empty for all.
    prompts
        Whether it has prompts; else turns are guessed.
    """

    def __init__(self, writer: EntryWriter, session_id: str, *, own: bool, prompts: bool) -> None:
        self._writer = writer
        self._wanted = session_id
        self._own = own
        self._sessions = SessionTracker()
        self._numbers: OrderedDict[int, int] = OrderedDict()
        self._turn_ids: dict[str, str] = {}
        self._prompts = PromptTurns(writer)
        self._implicit = None if own or prompts else ImplicitTurns(writer, session_id or "imported")
        self._replay: tuple[int, ImplicitTurns] | None = None

    def read(self, entry: TrafficEntry) -> Iterator[TrafficEntry]:
        """Yield the lines for an entry of the log."""
        self._writer.at = entry.t
        if entry.direction == "!":
            yield from self._note(dict(entry.message))
            return
        session_id = self._sessions.of(entry)
        if self._wanted and session_id not in ("", self._wanted):
            return
        if self._own:
            yield self._line(entry)
        else:
            yield from self._in_turns(entry)

    def finish(self) -> Iterator[TrafficEntry]:
        """Yield the entries that are still missing when the log ends."""
        if self._implicit is not None:
            yield from self._implicit.finish()

    # -- turns -----------------------------------------------------------

    def _in_turns(self, entry: TrafficEntry) -> Iterator[TrafficEntry]:
        method = text(entry.message.get("method"))
        if entry.direction == ">" and method == "session/prompt":
            blocks = as_blocks(obj(entry.message.get("params")).get("prompt"))
            yield from self._prompts.queue(entry.seq, blocks)
            yield self._line(entry)
        elif entry.direction == ">" and method == "initialize":
            yield from self._prompts.fail_all()
            yield self._line(entry)
        elif entry.direction == ">" and method in _LOADS:
            asked = self._line(entry)
            self._replay = (entry.seq, ImplicitTurns(self._writer, self._wanted or "imported"))
            yield asked
        elif entry.direction == "<" and not method:
            yield from self._response(entry)
        elif entry.direction == "<" and (turns := self._guessing()) is not None:
            yield from self._guessed(entry, turns)
        else:
            yield self._line(entry)

    def _guessing(self) -> ImplicitTurns | None:
        """Return the guessed turns, if the log has no prompts or replays history; else None."""
        return self._implicit if self._replay is None else self._replay[1]

    def _response(self, entry: TrafficEntry) -> Iterator[TrafficEntry]:
        if self._replay is not None and entry.re == self._replay[0]:
            replayed, self._replay = self._replay[1], None
            if replayed.is_open:
                yield from replayed.end({"stopReason": "end_turn"})
        result = obj(entry.message.get("result"))
        guessed = self._implicit
        if guessed is not None and entry.re is None and text(result.get("stopReason")):
            yield from guessed.end(result)
            return
        yield from self._prompts.answer(entry.re)
        yield self._line(entry)
        yield from self._prompts.answered(entry.re)

    def _guessed(self, entry: TrafficEntry, turns: ImplicitTurns) -> Iterator[TrafficEntry]:
        for message in normalise_clean(entry.message):
            update = obj(obj(message.get("params")).get("update"))
            kind = text(update.get("sessionUpdate"))
            if kind == "user_message_chunk":
                for block in as_blocks(update.get("content")):
                    yield from turns.add_prompt(block)
                return
            is_request = message.get("method") == "session/request_permission"
            if is_request or kind in IN_TURN or (kind in AFTER_TURN and not turns.any_yet):
                yield from turns.begin()
        yield self._line(entry)

    # -- lines -----------------------------------------------------------

    def _line(self, entry: TrafficEntry) -> TrafficEntry:
        re = None if entry.re is None else self._numbers.pop(entry.re, None)
        line = self._writer.line(entry.direction, entry.message, re)
        if "method" in entry.message and "id" in entry.message:
            self._numbers[entry.seq] = line.seq
            if len(self._numbers) > _OPEN:
                self._numbers.popitem(last=False)
        return line

    def _note(self, note: dict[str, Any]) -> Iterator[TrafficEntry]:
        """Yield a note with ids of this import: turns of the log may still be open elsewhere."""
        match note.get("note"):
            case "session_opened" | "rules_changed":
                return  # the new session has its own opening, and its own rules
            case "log_full" | "log_gap":
                yield self._writer.note(HostNotice(severity="warning", text=_FULL))
                return
            case "turn_queued":
                note["origin"] = None  # no cell here sent this prompt
            case "permission_settled":
                note["request_id"] = self._request_id(text(note.get("request_id")))
            case _:
                pass
        if isinstance(note.get("turn_id"), str):
            note["turn_id"] = self._turn_ids.setdefault(note["turn_id"], gen_id())
        yield self._writer.line("!", note)

    def _request_id(self, given: str) -> str:
        number = given.removeprefix("p")
        known = number.isascii() and number.isdigit() and len(number) < 16
        return f"p{self._numbers.get(int(number), 0)}" if known else given


_NO_END = "The log ends before this turn does."


class PromptTurns:
    """Writes the notes that a host would have written; the first open turn counts as running."""

    def __init__(self, writer: EntryWriter) -> None:
        self._writer = writer
        self._open: deque[tuple[int, str]] = deque()

    def queue(self, request: int, prompt: Sequence[Obj]) -> Iterator[TrafficEntry]:
        """Add a prompt before its request is written."""
        turn_id = gen_id()
        self._open.append((request, turn_id))
        yield self._writer.note(TurnQueued(turn_id=turn_id, prompt=tuple(prompt)))
        if len(self._open) == 1:
            yield self._writer.note(TurnStartedNote(turn_id=turn_id))

    def answer(self, request: int | None) -> Iterator[TrafficEntry]:
        """Make the answered turn the running one, before the answer is written."""
        if any(asked == request for asked, _ in self._open):
            while self._open[0][0] != request:
                yield from self._fail()

    def answered(self, request: int | None) -> Iterator[TrafficEntry]:
        """Start the next turn after the answer was written."""
        if self._open and self._open[0][0] == request:
            self._open.popleft()
            yield from self._start_next()

    def fail_all(self) -> Iterator[TrafficEntry]:
        """End the open turns, as their process has ended."""
        while self._open:
            yield from self._fail()

    def _fail(self) -> Iterator[TrafficEntry]:
        _, turn_id = self._open.popleft()
        yield self._writer.note(TurnFailed(turn_id=turn_id, message=_NO_END, reason="log_ended"))
        yield from self._start_next()

    def _start_next(self) -> Iterator[TrafficEntry]:
        if self._open:
            yield self._writer.note(TurnStartedNote(turn_id=self._open[0][1]))


_SESSIONS = 1000
_MAKES_SESSION = frozenset({"session/new", "session/fork"})


@dataclass(slots=True)
class SessionFacts:
    """One session of a log."""

    cwd: str = ""
    lines: int = 0
    prompts: int = 0


@dataclass(slots=True)
class TrafficFacts:
    """A log as a whole.

    Attributes
    ----------
    own
        Whether our host wrote it; then it has notes about its turns, and one session.
    """

    own: bool = False
    agent_name: str = ""
    cwd: str = ""
    sessions: dict[str, SessionFacts] = field(default_factory=dict)

    def largest(self) -> str:
        """Return the id of the session with the most lines; empty if none is named."""
        return max(self.sessions, key=lambda name: self.sessions[name].lines, default="")


class SessionTracker:
    """Finds the session that each line belongs to."""

    def __init__(self) -> None:
        self._requests: OrderedDict[int, str] = OrderedDict()

    def of(self, entry: TrafficEntry) -> str:
        """Return a session's id; empty for a line about none, or all of them."""
        message = entry.message
        named = _named_session(obj(message.get("params")))
        if "method" in message:
            if "id" in message:
                self._requests[entry.seq] = named
                if len(self._requests) > _OPEN:
                    self._requests.popitem(last=False)
            return named
        asked = "" if entry.re is None else self._requests.pop(entry.re, "")
        return asked or _named_session(obj(message.get("result"))) or named


def _named_session(params: Obj) -> str:
    """Return the session that a message names, in either spelling."""
    return text(first(params, "sessionId", "session_id"))


def survey_traffic(lines: Iterable[bytes | str]) -> TrafficFacts:
    """Read the facts of a whole log; its memory doesn't grow with the log."""
    facts, sessions = TrafficFacts(), SessionTracker()
    folders: OrderedDict[int, str] = OrderedDict()
    for entry in in_version_1(read_log(lines)):
        if not isinstance(entry, TrafficEntry):
            continue
        if entry.direction == "!":
            _note(facts, entry.message)
            continue
        body = obj(entry.message.get("params"))
        cwd = text(body.get("cwd"))
        if cwd and "id" in entry.message:
            folders[entry.seq] = cwd
            if len(folders) > _OPEN:
                folders.popitem(last=False)
        result = obj(entry.message.get("result"))
        info = obj(first(result, "agentInfo", "agent_info"))
        facts.agent_name = facts.agent_name or text(first(info, "title", "name"))
        name = sessions.of(entry)
        if name and (name in facts.sessions or len(facts.sessions) < _SESSIONS):
            session = facts.sessions.setdefault(name, SessionFacts())
            session.lines += 1
            session.prompts += entry.message.get("method") == "session/prompt"
            asked = folders.pop(entry.re, "") if entry.re is not None else cwd
            session.cwd = session.cwd or asked
    return facts


def _note(facts: TrafficFacts, note: Mapping[str, Any]) -> None:
    match note.get("note"):
        case "session_opened":
            facts.own = True
            facts.agent_name = text(note.get("agent_name"))
            facts.cwd = facts.cwd or text(note.get("cwd"))
        case "turn_queued":
            facts.own = True
        case _:
            pass
