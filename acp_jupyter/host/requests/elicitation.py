"""Elicitations: questions of an agent that only the user can answer, and the check of the answers.

The page also checks a form, but only the checks here count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Annotated, Literal, assert_never
from urllib.parse import urlsplit

from pydantic import JsonValue, StringConstraints, TypeAdapter, ValidationError
from pydantic_core import SchemaError

from acp_jupyter.errors import BadRequest, InvalidAnswers, QuestionGone, QuestionSettled
from acp_jupyter.host.requests.answers import SOMEBODY, Answerer
from acp_jupyter.host.requests.waiting import WaitingRequests
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.elicitation import ElicitationField
from acp_jupyter.protocol.host_events.session import ElicitationSettled
from acp_jupyter.transcript.model.items import Elicitation

Action = Literal["accept", "decline", "cancel"]
_By = Literal["user", "turn_cancelled", "nobody", "agent_exited", "withdrawn", "completed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to an elicitation."""

    action: Action
    content: dict[str, JsonValue] = field(default_factory=dict)


_Withdrawn = Literal["withdrawn"]
_WITHDRAWN: _Withdrawn = "withdrawn"


class QuestionRefused(Exception):
    """The question can't be asked; the message says why."""


class QuestionWithdrawn(Exception):
    """The agent withdrew its question."""


class Elicitations:
    """The elicitations of a session. Only the user answers one, and only once."""

    def __init__(
        self,
        journal: Journal,
        nobody_to_ask: Callable[[], bool],
        refused: Callable[[], None],
    ) -> None:
        self._journal = journal
        self._nobody_to_ask = nobody_to_ask
        self._refused = refused
        self._waiting: WaitingRequests[Outcome | _Withdrawn] = WaitingRequests()

    async def ask(self, request_id: str) -> Outcome:
        """Return the user's answer. ACP: elicitation/create. Waits without limit."""
        item = self._item(request_id)
        if item is None:
            raise QuestionRefused("The question could not be read.")
        early = self._waiting.pop_early(request_id)
        if early == _WITHDRAWN:
            self._settle(request_id, "withdrawn")
            raise QuestionWithdrawn
        if early is not None:
            return early
        if item.state != "pending":
            raise QuestionRefused(item.outcome)
        if self._nobody_to_ask():
            self._settle(request_id, "nobody")
            self._refused()
            return Outcome("cancel")
        with self._waiting.wait(
            request_id, lambda: self._settle(request_id, "agent_exited")
        ) as answer:
            outcome = await answer
        if outcome == _WITHDRAWN:
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
        """Settle a question with the user's answer; return ACP's action, e.g. ``accept``."""
        item = self._item(request_id)
        if item is None:
            raise BadRequest(f"There is no question {request_id!r} in this session.")
        if not self._waiting.waits(request_id):
            raise _too_late(item)
        given = dict(content or {})
        if action == "accept" and item.mode == "form":
            given = checked_answers(item.fields, given)
        elif given:
            raise BadRequest("Answers can only be sent with an accepted form.")
        self._settle(request_id, "user", who)
        self._waiting.answer(request_id, Outcome(action, given))
        return action

    def withdraw(self, request_id: str) -> None:
        """Close a question that the agent withdrew. ACP: $/cancel_request."""
        item = self._item(request_id)
        if item is None or item.state != "pending":
            return
        if self._waiting.waits(request_id):
            self._settle(request_id, "withdrawn")
        self._waiting.answer(request_id, _WITHDRAWN)

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
        for request_id in (*self._waiting.ids(), *self._to_come()):
            self._settle(request_id, "turn_cancelled")
            self._waiting.answer(request_id, Outcome("cancel"))

    def expire_all(self) -> None:
        """Expire all open questions: their process has ended."""
        for request_id in self._waiting.ids():
            self._cancel(request_id, "agent_exited")

    def _to_come(self) -> list[str]:
        """Return the open questions of the running turn that will wait here."""
        transcript = self._journal.transcript
        active = transcript.session.active_turn_id
        return [
            name
            for name in sorted(transcript.request_items)
            if (item := self._item(name)) is not None
            and (item.state, item.turn_id) == ("pending", active)
            and not (self._waiting.waits(name) or self._waiting.answered_early(name))
        ]

    def _cancel(self, request_id: str, by: _By) -> None:
        if self._waiting.waits(request_id):
            self._settle(request_id, by)
            self._waiting.answer(request_id, Outcome("cancel"))

    def _settle(self, request_id: str, by: _By, who: Answerer = SOMEBODY) -> None:
        self._journal.note(
            ElicitationSettled(
                request_id=request_id, by=by, user=who.user, shown_name=who.shown_name
            )
        )

    def _item(self, request_id: str) -> Elicitation | None:
        """Return a question, also a settled one."""
        transcript = self._journal.transcript
        index = transcript.request_items.get(request_id)
        found = (
            transcript.items
            if index is None  # settled questions have no index
            else (transcript.items[int(index[1:])],)
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
    if item.state in {"expired", "pending"}:  # pending: from an earlier run of the server
        return QuestionGone(
            "The agent that asked has stopped. The question can no longer be answered."
        )
    return QuestionSettled(f"This question is closed: {item.outcome}.")


_TEXT_CHARS = 100_000
_INTEGER_DIGITS = 300


def checked_answers(
    fields: tuple[ElicitationField, ...], given: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return the answers for the agent, without empty ones."""
    answers: dict[str, JsonValue] = {}
    wrong = {name[:80]: "The form has no such field." for name in given.keys() - _names(fields)}
    for each in fields:
        value = given.get(each.name)
        try:
            if value is None or value == "" or (value == [] and not each.required):
                if each.required:
                    raise _Wrong("Needs an answer.")  # noqa: TRY301 - one place collects all
                continue
            answers[each.name] = _checked(each, value)
        except _Wrong as error:
            wrong[each.name] = str(error)
    if wrong:
        labels = {each.name: each.label for each in fields}
        words = " ".join(f"{labels.get(name, name)}: {why}" for name, why in wrong.items())
        raise InvalidAnswers(f"Nothing was sent. {words[:1000]}", fields=wrong)
    return answers


class _Wrong(Exception):
    """An answer that does not fit; the message says why."""


def _names(fields: tuple[ElicitationField, ...]) -> set[str]:
    return {field.name for field in fields}


def _checked(field: ElicitationField, value: JsonValue) -> JsonValue:
    match field.type:
        case "text" | "unknown":
            return _text(field, value)
        case "number" | "integer":
            return _number(field, value)
        case "boolean":
            if not isinstance(value, bool):
                raise _Wrong("Must be yes or no.")
            return value
        case "choice":
            if value not in [choice.value for choice in field.choices]:
                raise _Wrong("Choose one of those offered.")
            return value
        case "choices":
            return _several(field, value)
        case _:
            assert_never(field.type)


def _text(field: ElicitationField, value: JsonValue) -> str:
    if not isinstance(value, str):
        raise _Wrong("Must be text.")
    if len(value) > _TEXT_CHARS:
        raise _Wrong(f"Is longer than {_TEXT_CHARS} characters.")
    if field.min_length is not None and len(value) < field.min_length:
        raise _Wrong(f"Must have at least {field.min_length} characters.")
    if field.max_length is not None and len(value) > field.max_length:
        raise _Wrong(f"Must have at most {field.max_length} characters.")
    if field.pattern and not _matches(field.pattern, value):
        raise _Wrong(f"Must match the pattern {field.pattern[:200]}")
    check = _FORMATS.get(field.format)
    if check is not None and not check[0](value):
        raise _Wrong(check[1])
    return value


def _matches(pattern: str, value: str) -> bool:
    """Search as JSON Schema does, but in linear time, whatever the agent's pattern is.

    A pattern that can't be searched in linear time (look-ahead, back-references), or that is not
    valid, is left to the agent to check.
    """
    adapter = _pattern(pattern)
    if adapter is None:
        return True
    try:
        adapter.validate_python(value)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=100)
def _pattern(pattern: str) -> TypeAdapter[str] | None:
    try:
        return TypeAdapter(Annotated[str, StringConstraints(pattern=pattern)])
    except SchemaError:
        return None


def _number(field: ElicitationField, value: JsonValue) -> int | float:
    if isinstance(value, str):
        value = _parsed(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Wrong("Must be a number.")
    if isinstance(value, float) and not math.isfinite(value):
        raise _Wrong("Must be a number.")
    if field.type == "integer":
        if isinstance(value, float) and not value.is_integer():
            raise _Wrong("Must be a whole number.")
        value = int(value)
    if field.minimum is not None and value < field.minimum:
        raise _Wrong(f"Must be at least {field.minimum:g}.")
    if field.maximum is not None and value > field.maximum:
        raise _Wrong(f"Must be at most {field.maximum:g}.")
    return value


def _parsed(written: str) -> int | float:
    if len(written) > _INTEGER_DIGITS:
        raise _Wrong("Must be a number.")
    try:
        return int(written) if re.fullmatch(r"[+-]?[0-9]+", written) else float(written)
    except ValueError:
        raise _Wrong("Must be a number.") from None


def _several(field: ElicitationField, value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _Wrong("Must be a list of choices.")
    offered = {choice.value for choice in field.choices}
    if any(each not in offered for each in value):
        raise _Wrong("Choose from those offered.")
    chosen = list(dict.fromkeys(value))
    if field.min_items is not None and len(chosen) < field.min_items:
        raise _Wrong(f"Choose at least {field.min_items}.")
    if field.max_items is not None and len(chosen) > field.max_items:
        raise _Wrong(f"Choose at most {field.max_items}.")
    return chosen


def _is_email(value: str) -> bool:
    name, _, host = value.rpartition("@")
    return bool(name and host) and not re.search(r"[\s@<>()]", name + host)


def _is_uri(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"\s", value)


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value) is not None


def _is_moment(value: str) -> bool:
    """RFC 3339: with an offset from UTC."""
    try:
        return "T" in value.upper() and datetime.fromisoformat(value.upper()).tzinfo is not None
    except ValueError:
        return False


_FORMATS = {
    "email": (_is_email, "Must be an e-mail address."),
    "uri": (_is_uri, "Must be an address such as https://example.org."),
    "date": (_is_date, "Must be a date such as 2026-03-01."),
    "date-time": (_is_moment, "Must be a time such as 2026-03-01T12:00:00Z."),
}
