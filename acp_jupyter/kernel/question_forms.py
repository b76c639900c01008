"""Questions of agents over stdin: a form field by field, or an address to open."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from acp_jupyter.api.models.permissions import AnswerElicitation
from acp_jupyter.errors import InvalidAnswers, QuestionGone, QuestionSettled
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.questions import _number, _shown, _visible
from acp_jupyter.protocol.elicitation import ElicitationField
from acp_jupyter.transcript.model.question_items import Elicitation, answer_texts

__all__ = ["ask_question"]

_SECONDS = 30.0
_ACTIONS = {1: "accept", 2: "decline", 3: "cancel"}
_Answers = dict[str, JsonValue]


def ask_question(client: HostClient, session_id: str, item: Elicitation) -> None:
    """Ask the user and answer the question. Interrupting stops the turn.

    Parameters
    ----------
    client
        A host that takes answers from here.
    session_id, item
        What is asked.
    """
    answers: _Answers = {}
    wrong: dict[str, str] = {}
    with _shown(_words(item), item.title):
        action = _ACTIONS.get(_number(3) or 0, "cancel")
        while True:
            if action == "accept" and item.fields:
                fields = [f for f in item.fields if not wrong or f.name in wrong]
                filled = _fill(fields, answers, wrong)
                action = _reviewed(item, answers) if filled else "cancel"
            try:
                _send(client, session_id, item, action, answers if action == "accept" else {})
            except InvalidAnswers as error:
                wrong = {name: error.fields[name] for name in error.fields}
                continue
            except (QuestionSettled, QuestionGone) as error:
                print(error)  # noqa: T201 - for the user
            return


def _send(
    client: HostClient, session_id: str, item: Elicitation, action: str, content: _Answers
) -> None:
    command = AnswerElicitation.model_validate(
        {
            "session_id": session_id,
            "request_id": item.request_id,
            "action": action,
            "content": content,
        }
    )
    client.call(command, _SECONDS)


def _words(item: Elicitation) -> str:
    lines = [item.title]
    for words in (item.heading, item.message, item.description):
        lines += [f"  {line}" for line in words.splitlines()]
    if item.mode == "url":
        lines += [f"  {item.url}", f"  This leads to {item.host}. Open it yourself."]
        lines += ["  [1] I open it"]
    else:
        lines += ["  [1] Answer"]
    lines += ["  [2] Decline", "  [3] Cancel"]
    return "\n".join(_visible(line) for line in lines)


def _fill(fields: Sequence[ElicitationField], answers: _Answers, wrong: dict[str, str]) -> bool:
    """Ask field by field; tell whether input went on to the last one."""
    for field in fields:
        try:
            value = _typed(field, wrong.get(field.name, ""))
        except EOFError:
            return False
        if value is None:
            answers.pop(field.name, None)
        else:
            answers[field.name] = value
    return True


def _typed(field: ElicitationField, problem: str) -> JsonValue:
    """Return what is typed for a field; the host finds out whether it fits."""
    lines = [f"! {problem}"] if problem else []
    lines += [field.label + (" (required)" if field.required else "")]
    lines += [f"  {words}" for words in (field.description, field.words) if words]
    lines += [f"  [{n}] {choice.label}" for n, choice in enumerate(field.choices, 1)]
    print("\n".join(_visible(line) for line in lines))  # noqa: T201 - for the user
    prompt = _visible(f"{field.label}{_hint(field)}: ")
    typed = (getpass.getpass(prompt) if field.secret else input(prompt)).strip()
    if not typed:
        return _plain(field.default)
    match field.type:
        case "boolean":
            return {"y": True, "yes": True, "n": False, "no": False}.get(typed.lower(), typed)
        case "choice":
            return _choice(field, typed)
        case "choices":
            return [_choice(field, part.strip()) for part in typed.split(",")]
        case _:
            return typed


def _hint(field: ElicitationField) -> str:
    what = {"boolean": "yes or no", "choice": "a number", "choices": "numbers, with commas"}
    kept = "" if field.default is None else f"Enter keeps {_default_text(field)}"
    hints = [hint for hint in (what.get(field.type, ""), kept) if hint]
    return f" ({'; '.join(hints)})" if hints else ""


def _default_text(field: ElicitationField) -> str:
    content = {field.name: _plain(field.default)}
    plain = field.model_copy(update={"secret": False})
    return next(answer.text for answer in answer_texts((plain,), content))


def _plain(value: Any) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


def _choice(field: ElicitationField, typed: str) -> str:
    if typed.isdecimal() and 1 <= int(typed) <= len(field.choices):
        return field.choices[int(typed) - 1].value
    return typed


def _reviewed(item: Elicitation, answers: _Answers) -> str:
    """Show what will be sent and ask whether it shall be."""
    told = [f"  {said.label}: {said.text}" for said in answer_texts(item.fields, answers)]
    lines = [
        "Your answers:",
        *(told or ["  none"]),
        "  [1] Submit",
        "  [2] Decline",
        "  [3] Cancel",
    ]
    print("\n".join(_visible(line) for line in lines))  # noqa: T201 - for the user
    return _ACTIONS.get(_number(3) or 0, "cancel")
