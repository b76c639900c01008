"""How the permission requests of a record were answered, to answer the same ones again."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from acp_jupyter.host.file_changes.content import Scrubs
from acp_jupyter.host.permissions import decide
from acp_jupyter.host.permissions_paths import Places
from acp_jupyter.host.rules.ruling import facts_of
from acp_jupyter.host.traffic_log import read_entries
from acp_jupyter.protocol.host_events.notes import PermissionSettledNote, SessionOpened, read_note
from acp_jupyter.protocol.host_events.permissions import Policy
from acp_jupyter.protocol.packets import PermissionRequest, PermissionResponse
from acp_jupyter.protocol.traffic_reader import LogPacket, TrafficReader
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session import opened_transcript

__all__ = ["AnswerAgain", "RecordedAnswers", "allows", "needs_live_answer"]

_POLICIES: tuple[Policy, ...] = get_args(Policy)
_NOWHERE = Places(None)
_CHANGES = frozenset({"edit", "delete", "move"})


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
    scrubber
        What was done to the record, done to a request before it is compared.
    """

    def __init__(self, scrubber: Scrubs) -> None:
        self._scrubber = scrubber
        self._requests: list[_Asked] = []
        self._is_ours = False

    def load(self, recording: bytes, *, is_ours: bool) -> None:
        """Read a record; blocks. What can't be read holds no answers.

        Parameters
        ----------
        recording
            All of it.
        is_ours
            Whether this installation made it.
        """
        self._is_ours = is_ours
        self._requests = list(_requests(recording))

    def find(
        self, call: ToolCall, *, nobody_to_ask: bool, folder: Places = _NOWHERE
    ) -> AnswerAgain | None:
        """Return how the same request was answered; None if that does not count now.

        A policy answers again where it answered then, and would now; but if the record is of
        somebody else, only where nobody can be asked. So does what the user answered then, of any
        record. Neither allows what needs a live answer.
        """
        again = self._find(call, nobody_to_ask, folder)
        if again is not None and allows(call, again.option_id) and needs_live_answer(call, folder):
            return None
        return again

    def _find(self, call: ToolCall, nobody_to_ask: bool, places: Places) -> AnswerAgain | None:
        facts = self._facts(call)
        asked = next(
            (a for a in self._requests if not a.used and self._facts(a.call) == facts), None
        )
        if asked is None or asked.option_id is None or call.permission is None:
            return None
        asked.used = True
        options = call.permission.options
        if asked.by == "policy" and (self._is_ours or nobody_to_ask):
            policy = next((policy for policy in _POLICIES if policy == asked.rule), None)
            decision = None if policy is None else decide(policy, call, options, folder=places)
            same = decision is not None and decision.option_id == asked.option_id
            return AnswerAgain(asked.option_id, "policy", asked.rule) if same else None
        if asked.by == "user" and nobody_to_ask:
            return AnswerAgain(asked.option_id, "record")
        return None

    def _facts(self, call: ToolCall) -> tuple[Any, ...]:
        """Return everything that a user would have seen, and the options."""
        say = self._scrubber.text
        permission = call.permission
        options = () if permission is None else permission.options
        details = () if permission is None else permission.details
        diffs = ((d.path, d.old_text or "", d.new_text) for d in call.diffs)
        return (
            call.tool_kind,
            *map(say, (call.title, call.description, call.command, call.path)),
            "" if permission is None else say(permission.folder),
            tuple((say(detail.name), say(detail.value)) for detail in details),
            tuple(say(place.path) for place in call.locations),
            tuple(tuple(map(say, diff)) for diff in diffs),
            tuple((o.option_id, o.name, o.option_kind) for o in options),
        )


def allows(call: ToolCall, option_id: str) -> bool:
    """Tell whether an option of a call's permission request allows it."""
    options = () if call.permission is None else call.permission.options
    kinds = (option.option_kind for option in options if option.option_id == option_id)
    return any(kind.startswith("allow") for kind in kinds)


def needs_live_answer(call: ToolCall, folder: Places) -> bool:
    """Tell whether only a user may allow a call of a replay, here and now. May block on the disk.

    A record may come from anyone. What configures what runs later is not changed by a policy, a
    rule or an answer that was given before; nor is what can't be told.
    """
    facts = facts_of(call, folder)
    if facts.kind not in _CHANGES:
        return False
    return not facts.paths or any(spot is None or spot.protected for spot in facts.paths)


def _requests(recording: bytes) -> Iterator[_Asked]:
    """Yield the requests of a record in order, each when all is known of it."""
    entries = read_entries(io.BytesIO(recording))
    first = next(entries, None)
    note = None if first is None else read_note(dict(first.message))
    if not isinstance(note, SessionOpened):
        return
    transcript, reader = opened_transcript(note, 0), TrafficReader()
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
