"""What the transcript knows of permission requests."""

from __future__ import annotations

from acp_jupyter.errors import BadRequest, PermissionGone, PermissionSettled
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.permissions import STRICTEST_FIRST
from acp_jupyter.protocol.host_events.permissions import Policy, RuleEffect
from acp_jupyter.transcript.model.tool_items import PermissionOption, PermissionState, ToolCall

__all__ = ["Requests"]


class Requests:
    """Looks requests up.

    Parameters
    ----------
    journal
        Of the session.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def policy(self) -> Policy:
        """Return the policy that counts now.

        Between turns it is the stricter one of the session and of its last turn, and edits are
        asked: a process that a turn left behind has nobody who follows it.
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
        """Tell whether a rule of the session, or of its running turn, denies something."""
        transcript = self._journal.transcript
        turn = transcript.turns.get(transcript.session.active_turn_id or "")
        rules = (*transcript.session.rules, *(() if turn is None else turn.rules))
        return any(rule.effect == "deny" for rule in rules)

    def call(self, request_id: str) -> ToolCall | None:
        """Return the tool call that a pending request is about."""
        transcript = self._journal.transcript
        item_id = transcript.request_items.get(request_id)
        item = None if item_id is None else transcript.items[int(item_id[1:])]  # its place
        return item if isinstance(item, ToolCall) else None

    def outcome(self, request_id: str) -> PermissionState | None:
        """Return what became of a request, perhaps under an earlier server; None if unknown."""
        items = reversed(self._journal.transcript.items)
        asked = (item.permission for item in items if isinstance(item, ToolCall))
        found = (p.state for p in asked if p is not None and p.request_id == request_id)
        return next(found, None)

    def option(self, request_id: str, option_id: str | None) -> PermissionOption | None:
        """Return an option of a request; None for none.

        Raises
        ------
        BadRequest
            It has no such option.
        """
        if option_id is None:
            return None
        call = self.call(request_id)
        options = () if call is None or call.permission is None else call.permission.options
        for option in options:
            if option.option_id == option_id:
                return option
        known = ", ".join(option.option_id for option in options) or "none"
        raise BadRequest(f"This request has no option {option_id!r}. It has: {known}.")

    def to_remember(self, request_id: str, option_id: str | None) -> tuple[str, RuleEffect]:
        """Return the rule that remembering an answer means, and what it does.

        Raises
        ------
        BadRequest
            There is nothing to remember.
        """
        call = self.call(request_id)
        option = self.option(request_id, option_id)
        rule = "" if call is None or call.permission is None else call.permission.rule
        kind = "" if option is None else option.option_kind
        if kind == "allow_once" and rule:
            return rule, "allow"
        if kind == "reject_once" and rule:
            return rule, "deny"
        raise BadRequest("This answer can't be remembered here.")

    def too_late(
        self, request_id: str, *, settled: bool
    ) -> PermissionSettled | PermissionGone | BadRequest:
        """Return why a request can't be answered any more."""
        outcome = self.outcome(request_id)
        if outcome == "expired":
            return PermissionGone(
                "The agent that asked has stopped. The question can no longer be answered; "
                "nothing was allowed."
            )
        if settled or outcome is not None:
            return PermissionSettled("This question has been answered already.")
        return BadRequest(f"There is no permission request {request_id!r} in this session.")
