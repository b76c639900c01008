"""Questions of an agent in seed 000's stream, which has none: as the protocol writes them."""

from __future__ import annotations

from typing import assert_never

from pydantic import JsonValue

from acp_jupyter.packets.elicitation import (
    ElicitationChoice,
    ElicitationComplete,
    ElicitationField,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.packets.json_fields import Obj

__all__ = ["write_elicitation"]


def write_elicitation(
    packet: ElicitationRequest | ElicitationResponse | ElicitationComplete,
) -> Obj:
    """Write a question, its answer, or that it is done; what is empty is left out."""
    match packet:
        case ElicitationRequest():
            return {"type": packet.type, "requestId": packet.request_id} | _asked(packet)
        case ElicitationResponse():
            written: Obj = {
                "type": packet.type,
                "requestId": packet.request_id,
                "action": packet.action,
            }
            return written | _said(content={**packet.content} or None, reason=packet.reason)
        case ElicitationComplete():
            return {"type": packet.type, "elicitationId": packet.elicitation_id}
        case _:
            assert_never(packet)


def _said(**fields: JsonValue) -> Obj:
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _asked(packet: ElicitationRequest) -> Obj:
    asked: Obj = {"mode": packet.mode, "message": packet.message}
    asked |= _said(toolCallId=packet.tool_call_id, problem=packet.problem)
    if packet.mode == "url":
        return asked | _said(url=packet.url, elicitationId=packet.elicitation_id)
    schema: Obj = {
        "type": "object",
        "properties": {field.name: _property(field) for field in packet.fields},
        "required": [field.name for field in packet.fields if field.required],
    }
    described = _said(title=packet.heading, description=packet.description)
    return asked | {"requestedSchema": schema | described}


def _property(field: ElicitationField) -> Obj:
    options: list[JsonValue] = [_option(choice) for choice in field.choices]
    written: Obj = {"title": field.label}
    match field.type:
        case "choice":
            written |= {"type": "string", "oneOf": options}
        case "choices":
            written |= {"type": "array", "items": {"anyOf": options}}
        case "text":
            written["type"] = "string"
        case _:
            written["type"] = field.type
    default = field.default
    return written | _said(
        description=field.description,
        default=[*default] if isinstance(default, tuple) else default,
        writeOnly=field.secret or None,
        minLength=field.min_length,
        maxLength=field.max_length,
        pattern=field.pattern,
        format=field.format,
        minimum=field.minimum,
        maximum=field.maximum,
        minItems=field.min_items,
        maxItems=field.max_items,
    )


def _option(choice: ElicitationChoice) -> Obj:
    return {"const": choice.value, "title": choice.label} | _said(description=choice.description)
