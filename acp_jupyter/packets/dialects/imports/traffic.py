"""Logs of ACP traffic as lines of a session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from acp_jupyter.packets.dialects.imports.packets import AFTER_TURN, IN_TURN
from acp_jupyter.packets.dialects.imports.prompts import Prompts
from acp_jupyter.packets.dialects.imports.sessions import Sessions
from acp_jupyter.packets.dialects.imports.writer import ImplicitTurns, LineWriter, as_blocks
from acp_jupyter.packets.ids import gen_id
from acp_jupyter.packets.json_fields import obj, text
from acp_jupyter.packets.normalise import normalise_clean
from acp_jupyter.packets.notes import HostNotice
from acp_jupyter.packets.traffic import TrafficEntry

__all__ = ["TrafficImport"]

_OPEN = 10_000
_FULL = "Here lines are missing from the log: it, or the disk, was full."
_LOADS = frozenset({"session/load", "session/resume"})


class TrafficImport:
    """Renumbers one session's lines and gives them their turns.

    Parameters
    ----------
    writer
        Makes the lines.
    session_id
        The session that is wanted, empty for all.
    own
        Whether the log has notes of its turns.
    prompts
        Whether it has prompts; else turns are guessed.
    """

    def __init__(self, writer: LineWriter, session_id: str, *, own: bool, prompts: bool) -> None:
        self._writer = writer
        self._wanted = session_id
        self._own = own
        self._sessions = Sessions()
        self._numbers: OrderedDict[int, int] = OrderedDict()
        self._turn_ids: dict[str, str] = {}
        self._prompts = Prompts(writer)
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
        """Yield what the end of the log leaves to be said."""
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
            yield from self._prompts.lose_all()
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
        """Return whom to ask for turns: for a log without prompts, or while history is replayed."""
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
            asks = message.get("method") == "session/request_permission"
            if asks or kind in IN_TURN or (kind in AFTER_TURN and not turns.any_yet):
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
                return  # this session is another one, and answers nothing by the rules of the log
            case "log_full" | "log_gap":
                yield self._writer.note(HostNotice(severity="warning", text=_FULL))
                return
            case "turn_queued":
                note["origin"] = None  # no cell of a notebook here has asked for it
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
