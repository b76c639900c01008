"""The permission requests of one session that wait for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from acp_jupyter.errors import BadRequest, PermissionGone, PermissionSettled
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.permissions import decide, reject_option
from acp_jupyter.host.recording_answers import RecordedAnswers
from acp_jupyter.packets.notes import PermissionSettledNote
from acp_jupyter.transcript.events import Policy
from acp_jupyter.transcript.items import ToolCall

__all__ = ["Asking"]


class Asking:
    """Answers permission requests by policy, or lets the user do it, once.

    Parameters
    ----------
    journal
        Of the session.
    nobody_to_ask
        Tells whether no one can ever answer.
    refused
        Called when a request was refused for that reason.
    """

    def __init__(
        self,
        journal: Journal,
        nobody_to_ask: Callable[[], bool],
        refused: Callable[[], None],
    ) -> None:
        self._journal = journal
        self._nobody_to_ask = nobody_to_ask
        self._refused = refused
        self.recorded: RecordedAnswers | None = None
        """Set while a record is played."""
        self._open: dict[str, asyncio.Future[str | None]] = {}
        self._settled: set[str] = set()
        self._gone: set[str] = set()

    async def ask(self, request_id: str) -> str | None:
        """Return the id of the chosen option, or None for the outcome ``cancelled``.

        ACP: session/request_permission. Waits without limit for the user.
        """
        call = self._call(request_id)
        if call is None or call.permission is None:
            return None
        options = call.permission.options
        decision = decide(self._policy(), call, options)
        if decision is not None:
            self._settle(request_id, "policy", decision.rule)
            return decision.option_id
        if self.recorded is not None:
            again = self.recorded.find(call, nobody_to_ask=self._nobody_to_ask())
            if again is not None:
                self._settle(request_id, again.by, again.rule)
                return again.option_id
        if self._nobody_to_ask():
            self._settle(request_id, "nobody")
            self._refused()
            return reject_option(options)
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open[request_id] = answer
        try:
            return await answer
        except asyncio.CancelledError:
            self._expire(request_id)
            raise
        finally:
            self._open.pop(request_id, None)

    def answer(self, request_id: str, option_id: str | None) -> str:
        """Settle a request by the user; return what was chosen, in words.

        Raises
        ------
        PermissionSettled
            Somebody or something answered first.
        PermissionGone
            The process that asked has ended.
        BadRequest
            No such request or option.
        """
        waiting = self._open.get(request_id)
        if waiting is None or waiting.done():
            raise self._too_late(request_id)
        call = self._call(request_id)
        options = () if call is None or call.permission is None else call.permission.options
        names = {option.option_id: option.name for option in options}
        if option_id is not None and option_id not in names:
            known = ", ".join(names) or "none"
            raise BadRequest(f"This request has no option {option_id!r}. It has: {known}.")
        self._settle(request_id, "user")
        waiting.set_result(option_id)
        return "cancelled" if option_id is None else names[option_id]

    def cancel_all(self) -> None:
        """Answer every open request ``cancelled``: its turn was stopped."""
        for request_id, waiting in tuple(self._open.items()):
            if not waiting.done():
                self._settle(request_id, "turn_cancelled")
                waiting.set_result(None)

    def expire_all(self) -> None:
        """Give up every open request: its process has ended. Nothing is allowed."""
        for request_id, waiting in tuple(self._open.items()):
            if not waiting.done():
                self._expire(request_id)
                waiting.set_result(None)

    def _expire(self, request_id: str) -> None:
        self._gone.add(request_id)
        self._journal.note(PermissionSettledNote(request_id=request_id, by="agent_exited"))

    def _policy(self) -> Policy:
        transcript = self._journal.transcript
        active = transcript.session.active_turn_id
        return transcript.session.policy if active is None else transcript.turns[active].policy

    def _call(self, request_id: str) -> ToolCall | None:
        transcript = self._journal.transcript
        item_id = transcript.request_items.get(request_id)
        item = None if item_id is None else transcript.items[int(item_id[1:])]  # its place
        return item if isinstance(item, ToolCall) else None

    def _settle(self, request_id: str, by: str, rule: str = "") -> None:
        self._settled.add(request_id)
        self._journal.note(
            PermissionSettledNote.model_validate({"request_id": request_id, "by": by, "rule": rule})
        )

    def _too_late(self, request_id: str) -> PermissionSettled | PermissionGone | BadRequest:
        if request_id in self._gone:
            return PermissionGone(
                "The agent that asked has stopped. The question can no longer be answered; "
                "nothing was allowed."
            )
        if request_id in self._settled:
            return PermissionSettled("This question has been answered already.")
        return BadRequest(f"There is no permission request {request_id!r} in this session.")
