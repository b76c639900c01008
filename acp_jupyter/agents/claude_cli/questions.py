"""The CLI's question tool, as a form for the user (ACP: elicitation)."""

from __future__ import annotations

from acp_jupyter.agents.claude_cli.permission import deny
from acp_jupyter.agents.rpc import Json
from acp_jupyter.dialects.claude_stream.results import PermissionRequested
from acp_jupyter.protocol.objects import Obj, items, obj, text

__all__ = ["QUESTION_TOOL", "answer_questions", "question_form"]

QUESTION_TOOL = "AskUserQuestion"

_OTHER: Json = {
    "type": "string",
    "title": "Other",
    "description": "Your own answer in place of those above.",
}
_DECLINED = "The user does not want to answer these questions. Go on without, or ask otherwise."
_CANCELLED = "The user stopped the turn."


def question_form(question: PermissionRequested) -> Json:
    """Return the parameters of elicitation/create, without the session's id."""
    asked = _questions(question)
    properties: Json = {}
    for number, each in enumerate(asked):
        title = text(each.get("question"))
        options = [_option(option) for option in map(obj, items(each.get("options")))]
        several = bool(options) and each.get("multiSelect") is True
        offered: Json = {"type": "string", **({"oneOf": options} if options else {})}
        if several:
            offered = {"type": "array", "items": {"anyOf": options}}
        properties[f"question_{number}"] = {"title": title, **offered}
        if options:
            properties[f"question_{number}_custom"] = _OTHER
    words = "\n".join(text(each.get("header")) or text(each.get("question")) for each in asked)
    return {
        "mode": "form",
        "toolCallId": text(obj(question.params.get("toolCall")).get("toolCallId")),
        "message": words or "Claude has a question.",
        "requestedSchema": {"type": "object", "properties": properties},
    }


def _option(raw: Obj) -> Json:
    label = text(raw.get("label"))
    return {"const": label, "title": label, "description": text(raw.get("description"))}


def answer_questions(question: PermissionRequested, result: Json) -> Json:
    """Return what the CLI is told. Without answers its tool is refused.

    Parameters
    ----------
    result
        ACP: the result of elicitation/create; any object.
    """
    match result:
        case {"action": "accept", "content": dict(content)}:
            answers = {
                text(each.get("question")): _said(content, f"question_{number}")
                for number, each in enumerate(_questions(question))
            }
            given = {asked: answer for asked, answer in answers.items() if answer}
            return {"behavior": "allow", "updatedInput": {**question.tool_input, "answers": given}}
        case {"action": "cancel"}:
            return {**deny(_CANCELLED), "interrupt": True}
        case _:
            return deny(_DECLINED)


def _questions(question: PermissionRequested) -> list[Obj]:
    asked = [obj(each) for each in items(question.tool_input.get("questions"))]
    return [each for each in asked if text(each.get("question"))]


def _said(content: Json, name: str) -> str:
    """Return an answer as the CLI takes it: several are joined by commas."""
    match content.get(f"{name}_custom"), content.get(name):
        case (str(own), _) if own:
            return own
        case (_, list(chosen)):
            return ", ".join(str(each) for each in chosen)
        case (_, str(chosen)):
            return chosen
        case _:
            return ""
