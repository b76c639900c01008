"""The sessions of a log of ACP traffic, found before one of them is imported."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_jupyter.packets.dialects.traffic_log.log import read_log
from acp_jupyter.packets.json_fields import Obj, first, obj, text
from acp_jupyter.packets.traffic import TrafficEntry

__all__ = ["SessionFacts", "Sessions", "TrafficFacts", "survey_traffic"]

_SESSIONS = 1000
_OPEN = 10_000
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
        Whether a host of ours wrote it: then it has notes of its turns, and one session.
    """

    own: bool = False
    agent_name: str = ""
    cwd: str = ""
    sessions: dict[str, SessionFacts] = field(default_factory=dict)

    def largest(self) -> str:
        """Return the id of the session with most lines, empty where none is named."""
        return max(self.sessions, key=lambda name: self.sessions[name].lines, default="")


class Sessions:
    """Tells of each line which session it belongs to."""

    def __init__(self) -> None:
        self._requests: OrderedDict[int, str] = OrderedDict()

    def of(self, entry: TrafficEntry) -> str:
        """Return a session's id; empty for what concerns none, or all."""
        message = entry.message
        named = session_id(obj(message.get("params")))
        if "method" in message:
            if "id" in message:
                self._requests[entry.seq] = named
                if len(self._requests) > _OPEN:
                    self._requests.popitem(last=False)
            return named
        asked = "" if entry.re is None else self._requests.pop(entry.re, "")
        return asked or session_id(obj(message.get("result"))) or named


def session_id(params: Obj) -> str:
    """Return the session that a message names, in either spelling."""
    return text(first(params, "sessionId", "session_id"))


def survey_traffic(lines: Iterable[bytes | str]) -> TrafficFacts:
    """Read a whole log for its facts; memory does not grow with it."""
    facts, sessions = TrafficFacts(), Sessions()
    folders: OrderedDict[int, str] = OrderedDict()
    for entry in read_log(lines):
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
