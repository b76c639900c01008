"""Elicitations: questions of an agent that only the user can answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.errors import BadRequest, QuestionGone, QuestionSettled
from acp_jupyter.host.requests.answers import SOMEBODY, Answerer
from acp_jupyter.host.requests.elicitation_answers import checked_answers
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.session import ElicitationSettled
from acp_jupyter.transcript.model.items import Elicitation

Action = Literal["accept", "decline", "cancel"]
_By = Literal["user", "turn_cancelled", "nobody", "agent_exited", "withdrawn", "completed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to an elicitation."""

    action: Action
    content: dict[str, JsonValue] = field(default_factory=dict)


class QuestionRefused(Exception):
    """The question can't be asked; the message says why."""


class QuestionWithdrawn(Exception):
    """The agent withdrew its question."""


class Elicitations:
    """The elicitations of a session. Only the user answers one, and only once.

    Parameters
    ----------
    journal
        The session's journal.
    nobody_to_ask
        Returns whether no user can answer.
    refused
        Called when a question was cancelled because no user can answer.
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
        self._open: dict[str, asyncio.Future[Outcome | None]] = {}
        self._early: set[str] = set()
        """Ids of questions that were withdrawn before they were asked."""

    async def ask(self, request_id: str) -> Outcome:
        """Return the user's answer. ACP: elicitation/create. Waits without limit.

        Raises
        ------
        QuestionRefused
            It can't be asked.
        QuestionWithdrawn
            The agent withdrew it.
        """
        item = self._item(request_id)
        if item is None:
            raise QuestionRefused("The question could not be read.")
        if item.state != "pending":
            raise QuestionRefused(item.outcome)
        if request_id in self._early:
            self._early.discard(request_id)
            self._settle(request_id, "withdrawn")
            raise QuestionWithdrawn
        if self._nobody_to_ask():
            self._settle(request_id, "nobody")
            self._refused()
            return Outcome("cancel")
        answer: asyncio.Future[Outcome | None] = asyncio.get_running_loop().create_future()
        self._open[request_id] = answer
        try:
            outcome = await answer
        except asyncio.CancelledError:
            self._settle(request_id, "agent_exited")
            raise
        finally:
            self._open.pop(request_id, None)
        if outcome is None:
            raise QuestionWithdrawn
        return outcome

    def turn_of(self, request_id: str) -> str | None:
        """Return the turn that a question belongs to."""
        item = self._item(request_id)
        return None if item is None else item.turn_id

    def answer(
        self,
        request_id: str,
        action: Action,
        content: Mapping[str, JsonValue] | None = None,
        who: Answerer = SOMEBODY,
    ) -> str:
        """Settle a question by the user's answer; return the protocol's word for the outcome.

        Raises
        ------
        InvalidAnswers
            Some answers do not fit their fields; nothing was sent.
        QuestionSettled
            Somebody answered first, or it was withdrawn.
        QuestionGone
            The process that asked has ended.
        BadRequest
            No such question.
        """
        waiting = self._open.get(request_id)
        item = self._item(request_id)
        if item is None:
            raise BadRequest(f"There is no question {request_id!r} in this session.")
        if waiting is None or waiting.done():
            raise _too_late(item)
        given = dict(content or {})
        if action == "accept" and item.mode == "form":
            given = checked_answers(item.fields, given)
        elif given:
            raise BadRequest("Only an accepted form takes answers.")
        self._settle(request_id, "user", who)
        waiting.set_result(Outcome(action, given))
        return action

    def withdraw(self, request_id: str) -> None:
        """Close a question that the agent withdrew. ACP: $/cancel_request."""
        waiting = self._open.get(request_id)
        if waiting is not None and not waiting.done():
            self._settle(request_id, "withdrawn")
            waiting.set_result(None)
        elif waiting is None and (item := self._item(request_id)) and item.state == "pending":
            self._early.add(request_id)

    def complete(self, elicitation_id: str) -> None:
        """Close a question that the user answered on a web page.

        ACP: elicitation/complete. Unknown ids are ignored.
        """
        transcript = self._journal.transcript
        item_id = transcript.url_elicitations.get(elicitation_id)
        item = None if item_id is None else transcript.items[int(item_id[1:])]
        if isinstance(item, Elicitation):
            self._cancel(item.request_id, "completed")

    def cancel_all(self) -> None:
        """Answer all open questions with ``cancel``: their turn has ended."""
        for request_id in tuple(self._open):
            self._cancel(request_id, "turn_cancelled")

    def expire_all(self) -> None:
        """Expire all open questions: their process has ended."""
        for request_id in tuple(self._open):
            self._cancel(request_id, "agent_exited")

    def _cancel(self, request_id: str, by: _By) -> None:
        waiting = self._open.get(request_id)
        if waiting is not None and not waiting.done():
            self._settle(request_id, by)
            waiting.set_result(Outcome("cancel"))

    def _settle(self, request_id: str, by: _By, who: Answerer = SOMEBODY) -> None:
        self._journal.note(
            ElicitationSettled(request_id=request_id, by=by, user=who.user, told=who.shown_name)
        )

    def _item(self, request_id: str) -> Elicitation | None:
        """Return a question, also a settled one."""
        transcript = self._journal.transcript
        place = transcript.request_items.get(request_id)
        found = (
            transcript.items
            if place is None  # settled: its place is not kept
            else (transcript.items[int(place[1:])],)
        )
        return next(
            (
                item
                for item in reversed(found)
                if isinstance(item, Elicitation) and item.request_id == request_id
            ),
            None,
        )


def _too_late(item: Elicitation) -> QuestionGone | QuestionSettled:
    if item.state in {"expired", "pending"}:  # pending: of a run of the server that has ended
        return QuestionGone(
            "The agent that asked has stopped. The question can no longer be answered."
        )
    return QuestionSettled(f"This question is closed: {item.outcome}.")
