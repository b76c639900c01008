"""Answers to permission requests: who gave them, lookup in the transcript, recorded answers.

Recorded answers are reused for identical requests only; changes of files that can run later
still need a live answer.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from acp_jupyter.errors import BadRequest, PermissionGone, PermissionSettled
from acp_jupyter.host.requests.policy import STRICTEST_FIRST, decide
from acp_jupyter.host.requests.rules import facts_of
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.log_reader import read_entries
from acp_jupyter.host.workspace.changed_files import TextScrubber
from acp_jupyter.protocol.host_events.notes import PermissionSettledNote, SessionOpened, read_note
from acp_jupyter.protocol.host_events.session import Policy, RuleEffect
from acp_jupyter.protocol.packets import PermissionRequest, PermissionResponse
from acp_jupyter.protocol.traffic_reader import LogPacket, TrafficReader
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.model.tool_items import PermissionOption, PermissionState, ToolCall
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript


@dataclass(frozen=True, slots=True)
class Answerer:
    """The user who answers a request."""

    user: str = ""
    """The server's name of the user, for the log."""
    shown_name: str = ""
    """Name shown with the answer; empty for the server's owner and for users without an
    account."""


SOMEBODY = Answerer()
"""The only user, or no user at all."""


class RequestLookup:
    """Finds permission requests, their calls and their outcomes in the transcript."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def policy(self) -> Policy:
        """Return the policy that applies now.

        Between turns it is the stricter one of the session's and the last turn's, and edits need
        the user's answer, as nobody watches a process that a turn left running.
        """
        transcript = self._journal.transcript
        own = transcript.session.policy
        active = transcript.session.active_turn_id
        if active is not None:
            return transcript.turns[active].policy
        turns = (transcript.turns[turn_id] for turn_id in reversed(transcript.turn_order))
        last = next((turn.policy for turn in turns if turn.status == "done"), own)
        stricter = min(own, last, key=STRICTEST_FIRST.index)
        return "ask" if stricter == "accept-edits" else stricter

    def denies(self) -> bool:
        """Return whether a rule of the session or its running turn denies something."""
        transcript = self._journal.transcript
        turn = transcript.turns.get(transcript.session.active_turn_id or "")
        rules = (*transcript.session.rules, *(() if turn is None else turn.rules))
        return any(rule.effect == "deny" for rule in rules)

    def call(self, request_id: str) -> ToolCall | None:
        """Return the tool call that a pending request is about."""
        transcript = self._journal.transcript
        item_id = transcript.request_items.get(request_id)
        item = None if item_id is None else transcript.items[int(item_id[1:])]  # its index
        return item if isinstance(item, ToolCall) else None

    def outcome(self, request_id: str) -> PermissionState | None:
        """Return a request's outcome, also from an earlier server; None if unknown."""
        items = reversed(self._journal.transcript.items)
        asked = (item.permission for item in items if isinstance(item, ToolCall))
        found = (p.state for p in asked if p is not None and p.request_id == request_id)
        return next(found, None)

    def option(self, request_id: str, option_id: str | None) -> PermissionOption | None:
        """Return an option of a request; None if no option is given."""
        if option_id is None:
            return None
        call = self.call(request_id)
        options = () if call is None or call.permission is None else call.permission.options
        for option in options:
            if option.option_id == option_id:
                return option
        known = ", ".join(option.option_id for option in options) or "none"
        raise BadRequest(f"This request has no option {option_id!r}. It has: {known}.")

    def to_remember(
        self, request_id: str, option_id: str | None, wider: str = ""
    ) -> tuple[str, RuleEffect]:
        """Return the text and the effect of the rule that would remember an answer.

        Parameters
        ----------
        wider
            One of the request's wider rules; empty for the rule that covers only the request.
        """
        call = self.call(request_id)
        option = self.option(request_id, option_id)
        permission = None if call is None else call.permission
        rule = "" if permission is None else permission.rule
        if wider:
            offered = () if permission is None else permission.wider_rules
            if wider not in {each.text for each in offered}:
                raise BadRequest(f"This request does not offer the rule {wider!r}.")
            rule = wider
        kind = "" if option is None else option.option_kind
        if kind == "allow_once" and rule:
            return rule, "allow"
        if kind == "reject_once" and rule:
            return rule, "deny"
        raise BadRequest("This answer can't be remembered here.")

    def too_late(
        self, request_id: str, *, settled: bool
    ) -> PermissionSettled | PermissionGone | BadRequest:
        """Return the error for a request that can no longer be answered."""
        outcome = self.outcome(request_id)
        if outcome == "expired":
            return PermissionGone(
                "The agent that asked has stopped. The question can no longer be answered; "
                "nothing was allowed."
            )
        if settled or outcome is not None:
            return PermissionSettled("This question has been answered already.")
        return BadRequest(f"There is no permission request {request_id!r} in this session.")


_POLICIES: tuple[Policy, ...] = get_args(Policy)
_NOWHERE = SessionFolder(None)
_CHANGES = frozenset({"edit", "delete", "move"})


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer that is repeated from a recording."""

    option_id: str
    by: Literal["policy", "record"]
    rule: str = ""


@dataclass(slots=True)
class _RecordedRequest:
    call: ToolCall
    by: str = ""
    rule: str = ""
    option_id: str | None = None
    used: bool = False


class RecordedAnswers:
    """The answers in a recording, for the same requests of the replay agent.

    Parameters
    ----------
    scrubber
        The recording's scrubber; scrubs a request before it is compared.
    """

    def __init__(self, scrubber: TextScrubber) -> None:
        self._scrubber = scrubber
        self._requests: list[_RecordedRequest] = []
        self._is_ours = False

    def load(self, recording: bytes, *, is_ours: bool) -> None:
        """Read the answers of a recording; blocks. An unreadable one has no answers."""
        self._is_ours = is_ours
        self._requests = list(_requests(recording))

    def find(
        self, call: ToolCall, *, nobody_to_ask: bool, folder: SessionFolder = _NOWHERE
    ) -> RecordedAnswer | None:
        """Return the recorded answer to the same request; None if it may not be reused.

        A policy's answer is reused if the policy still gives it, but in a recording from elsewhere
        only if no user can be asked. A user's answer is reused only if no user can be asked.
        Neither allows a call that needs a live answer.
        """
        again = self._find(call, nobody_to_ask, folder)
        if again is not None and allows(call, again.option_id) and needs_live_answer(call, folder):
            return None
        return again

    def _find(
        self, call: ToolCall, nobody_to_ask: bool, folder: SessionFolder
    ) -> RecordedAnswer | None:
        facts = self._facts(call)
        recorded = next(
            (a for a in self._requests if not a.used and self._facts(a.call) == facts), None
        )
        if recorded is None or recorded.option_id is None or call.permission is None:
            return None
        recorded.used = True
        options = call.permission.options
        if recorded.by == "policy" and (self._is_ours or nobody_to_ask):
            policy = next((policy for policy in _POLICIES if policy == recorded.rule), None)
            decision = None if policy is None else decide(policy, call, options, folder=folder)
            same = decision is not None and decision.option_id == recorded.option_id
            return RecordedAnswer(recorded.option_id, "policy", recorded.rule) if same else None
        if recorded.by == "user" and nobody_to_ask:
            return RecordedAnswer(recorded.option_id, "record")
        return None

    def _facts(self, call: ToolCall) -> tuple[Any, ...]:
        """Return everything that the card shows, and the options."""
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
            tuple(say(location.path) for location in call.locations),
            tuple(tuple(map(say, diff)) for diff in diffs),
            tuple((o.option_id, o.name, o.option_kind) for o in options),
        )


def allows(call: ToolCall, option_id: str) -> bool:
    """Return whether an option of a call's permission request allows it."""
    options = () if call.permission is None else call.permission.options
    kinds = (option.option_kind for option in options if option.option_id == option_id)
    return any(kind.startswith("allow") for kind in kinds)


def needs_live_answer(call: ToolCall, folder: SessionFolder) -> bool:
    """Return whether only a live user may allow a replayed call. May block on the disk.

    A recording may come from anyone: changes of files that can run later, and calls that are not
    understood, are never allowed by a policy, a rule or a recorded answer.
    """
    facts = facts_of(call, folder)
    if facts.kind not in _CHANGES:
        return False
    return not facts.paths or any(spot is None or spot.protected for spot in facts.paths)


def _requests(recording: bytes) -> Iterator[_RecordedRequest]:
    """Yield the requests of a recording in order, each once it is settled."""
    entries = read_entries(io.BytesIO(recording))
    first = next(entries, None)
    note = None if first is None else read_note(dict(first.message))
    if not isinstance(note, SessionOpened):
        return
    transcript, reader = opened_transcript(note, 0), TrafficReader()
    open_requests: dict[str, _RecordedRequest] = {}
    for entry in entries:
        for packet in reader.read(entry):
            transcript, _events = reduce(transcript, packet, entry.t)
            yield from _follow(packet, transcript, open_requests)


def _follow(
    packet: LogPacket, transcript: Transcript, open_requests: dict[str, _RecordedRequest]
) -> Iterator[_RecordedRequest]:
    match packet:
        case PermissionRequest():
            item_id = transcript.request_items.get(packet.request_id)
            call = None if item_id is None else transcript.items[int(item_id[1:])]
            if isinstance(call, ToolCall):
                open_requests[packet.request_id] = _RecordedRequest(call)
        case PermissionSettledNote():
            if asked := open_requests.get(packet.request_id):
                asked.by, asked.rule = packet.by, packet.rule
        case PermissionResponse():
            if asked := open_requests.pop(packet.request_id, None):
                asked.option_id = packet.option_id
                yield asked
        case _:
            pass


class PermissionWithdrawn(Exception):
    """The agent withdrew its permission request."""
