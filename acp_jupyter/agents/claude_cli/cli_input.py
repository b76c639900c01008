"""The CLI's input: prompts, and answers to its permission requests and questions."""

from __future__ import annotations

from urllib.parse import unquote

from acp_jupyter.agents.rpc import INVALID_PARAMS, Json, RpcError
from acp_jupyter.dialects.claude_results import PermissionRequested
from acp_jupyter.dialects.claude_tool_calls import ALLOW, ALWAYS, REJECT
from acp_jupyter.protocol.objects import Obj, items, obj, text


def user_message(prompt: object) -> Json:
    """Return the CLI's input line for a prompt."""
    if not isinstance(prompt, list) or not all(isinstance(block, dict) for block in prompt):
        raise RpcError(INVALID_PARAMS, "The prompt is not a list of content blocks.")
    content = [_block(block) for block in prompt]
    if not any(block["type"] != "text" or str(block["text"]).strip() for block in content):
        raise RpcError(INVALID_PARAMS, "The prompt is empty.")
    return {"type": "user", "message": {"role": "user", "content": content}}


def _block(block: Json) -> Json:
    match block:
        case {"type": "text", "text": str(words)}:
            return _text(words)
        case {"type": "image", "data": str(data), "mimeType": str(kind)} if data:
            return _image(data, kind)
        case {"type": "resource_link", "uri": str(uri)}:
            return _text(f"[{block.get('name') or _location(uri)}]({_location(uri)})")
        case {"type": "resource", "resource": {"uri": str(uri), "text": str(words)}}:
            return _text(f'<context ref="{_location(uri)}">\n{words}\n</context>')
        case {"type": "resource", "resource": {"blob": str(data), "mimeType": str(kind)}} if (
            kind.startswith("image/")
        ):
            return _image(data, kind)
        case _:
            raise RpcError(
                INVALID_PARAMS,
                f"The Claude CLI can't take this part of the prompt: {block.get('type')}. "
                "It takes text, images, files as text, and links.",
            )


def _text(words: str) -> Json:
    return {"type": "text", "text": words}


def _image(data: str, kind: str) -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def _location(uri: str) -> str:
    return unquote(uri.removeprefix("file://")) if uri.startswith("file://") else uri


_REJECTED = "The user rejected this tool call."
_CANCELLED = "The user stopped the turn."
_UNCLEAR = "Nobody allowed this tool call."


def decision(question: PermissionRequested, result: Json) -> Json:
    """Return what the CLI may do. Anything but an offered "allow" is a refusal.

    Parameters
    ----------
    result
        ACP: the result of session/request_permission; any object.
    """
    match result.get("outcome"):
        case {"outcome": "selected", "optionId": option} if option == ALLOW:
            return _allow(question)
        case {"outcome": "selected", "optionId": option} if option == ALWAYS and question.grants:
            return {**_allow(question), "updatedPermissions": question.grants[ALWAYS]}
        case {"outcome": "selected", "optionId": option} if option == REJECT:
            return deny(_REJECTED)
        case {"outcome": "cancelled"}:
            return {**deny(_CANCELLED), "interrupt": True}
        case _:
            return deny(_UNCLEAR)


def deny(message: str = _UNCLEAR) -> Json:
    """Return a refusal; the model reads the message."""
    return {"behavior": "deny", "message": message}


def _allow(question: PermissionRequested) -> Json:
    return {"behavior": "allow", "updatedInput": question.tool_input}


def control_response(request_id: str, response: Json) -> Json:
    """Return the line that answers one of the CLI's requests."""
    body = {"subtype": "success", "request_id": request_id, "response": response}
    return {"type": "control_response", "response": body}


QUESTION_TOOL = "AskUserQuestion"

_OTHER: Json = {
    "type": "string",
    "title": "Other",
    "description": "Your own answer in place of those above.",
}
_DECLINED = (
    "The user declined to answer these questions. Continue without them, or ask in another way."
)


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
    """Return the CLI's answer to a question. Without answers, its tool is refused.

    Parameters
    ----------
    result
        ACP: the result of elicitation/create; any object.
    """
    match result:
        case {"action": "accept", "content": dict(content)}:
            answers = {
                text(each.get("question")): _answer_text(content, f"question_{number}")
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


def _answer_text(content: Json, name: str) -> str:
    """Return an answer in the CLI's form: several are joined by commas."""
    match content.get(f"{name}_custom"), content.get(name):
        case (str(own), _) if own:
            return own
        case (_, list(chosen)):
            return ", ".join(str(each) for each in chosen)
        case (_, str(chosen)):
            return chosen
        case _:
            return ""
