"""How the permission requests of a record were answered, to answer the same ones again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from acp_jupyter.host.file_changes.content import Scrubs
from acp_jupyter.host.permissions import decide
from acp_jupyter.host.permissions_paths import Places
from acp_jupyter.host.traffic_log import read_traffic
from acp_jupyter.packets.models import PermissionRequest, PermissionResponse
from acp_jupyter.packets.notes import PermissionSettledNote, Policy, SessionOpened, read_note
from acp_jupyter.packets.reader import LogPacket, TrafficReader
from acp_jupyter.transcript.items import ToolCall
from acp_jupyter.transcript.reduce import reduce
from acp_jupyter.transcript.setup import opened
from acp_jupyter.transcript.state import Transcript

__all__ = ["AnswerAgain", "RecordedAnswers"]

_POLICIES: tuple[Policy, ...] = get_args(Policy)
_NOWHERE = Places(None)


@dataclass(frozen=True, slots=True)
class AnswerAgain:
    """An answer that follows from the record."""

    option_id: str
    by: Literal["policy", "record"]
    rule: str = ""


@dataclass(slots=True)
class _Asked:
    call: ToolCall
    by: str = ""
    rule: str = ""
    option_id: str | None = None
    used: bool = False


class RecordedAnswers:
    """The answers of one record. The replay agent can ask nothing but what was asked then.

    Parameters
    ----------
    path
        The record.
    scrubber
        What was done to the record, done to a request before it is compared.
    most_bytes
        A larger record holds no answers.
    """

    def __init__(self, path: Path, scrubber: Scrubs, most_bytes: int) -> None:
        self.path = path
        self._scrubber = scrubber
        self._most = most_bytes
        self._asked: list[_Asked] = []

    def load(self) -> None:
        """Read the record; blocks. What can't be read holds no answers."""
        try:
            small = self.path.stat().st_size <= self._most
            self._asked = list(_requests(self.path)) if small else []
        except OSError:
            self._asked = []

    def find(
        self, call: ToolCall, *, nobody_to_ask: bool, places: Places = _NOWHERE
    ) -> AnswerAgain | None:
        """Return how the same request was answered; None if that does not count now.

        A policy answers again where it answered then, and would now. What the user answered
        counts only where nobody can be asked.
        """
        facts = self._facts(call)
        asked = next((a for a in self._asked if not a.used and self._facts(a.call) == facts), None)
        if asked is None or asked.option_id is None or call.permission is None:
            return None
        asked.used = True
        options = call.permission.options
        if asked.by == "policy":
            policy = next((policy for policy in _POLICIES if policy == asked.rule), None)
            decision = None if policy is None else decide(policy, call, options, places=places)
            same = decision is not None and decision.option_id == asked.option_id
            return AnswerAgain(asked.option_id, "policy", asked.rule) if same else None
        if asked.by == "user" and nobody_to_ask:
            return AnswerAgain(asked.option_id, "record")
        return None

    def _facts(self, call: ToolCall) -> tuple[Any, ...]:
        """Return everything that a user would have seen, and the options."""
        say = self._scrubber.text
        options = () if call.permission is None else call.permission.options
        diffs = ((d.path, d.old_text or "", d.new_text) for d in call.diffs)
        return (
            call.tool_kind,
            *map(say, (call.title, call.description, call.command, call.path)),
            tuple(say(place.path) for place in call.locations),
            tuple(tuple(map(say, diff)) for diff in diffs),
            tuple((o.option_id, o.name, o.option_kind) for o in options),
        )


def _requests(path: Path) -> Iterator[_Asked]:
    """Yield the requests of a record in order, each when all is known of it."""
    entries = read_traffic(path)
    first = next(entries, None)
    note = None if first is None else read_note(dict(first.message))
    if not isinstance(note, SessionOpened):
        return
    transcript, reader = opened(note, 0), TrafficReader()
    open_requests: dict[str, _Asked] = {}
    for entry in entries:
        for packet in reader.read(entry):
            transcript, _events = reduce(transcript, packet, entry.t)
            yield from _follow(packet, transcript, open_requests)


def _follow(
    packet: LogPacket, transcript: Transcript, open_requests: dict[str, _Asked]
) -> Iterator[_Asked]:
    match packet:
        case PermissionRequest():
            item_id = transcript.request_items.get(packet.request_id)
            call = None if item_id is None else transcript.items[int(item_id[1:])]  # its place
            if isinstance(call, ToolCall):
                open_requests[packet.request_id] = _Asked(call)
        case PermissionSettledNote():
            if asked := open_requests.get(packet.request_id):
                asked.by, asked.rule = packet.by, packet.rule
        case PermissionResponse():
            if asked := open_requests.pop(packet.request_id, None):
                asked.option_id = packet.option_id
                yield asked
        case _:
            pass
