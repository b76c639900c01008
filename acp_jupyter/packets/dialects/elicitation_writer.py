"""Questions of an agent in seed 000's form, which has none: the protocol's names, camel case."""

from __future__ import annotations

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from acp_jupyter.packets.elicitation import (
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
    written = packet.model_dump(mode="json", exclude={"type", "timestamp", "fields"})
    said: Obj = {to_camel(name): value for name, value in written.items() if value not in ("", {})}
    if isinstance(packet, ElicitationRequest) and packet.fields:
        said["fields"] = [_field(field) for field in packet.fields]
    return {"type": packet.type, **said}


def _field(field: ElicitationField) -> JsonValue:
    written = field.model_dump(mode="json", exclude_defaults=True)
    return {to_camel(name): value for name, value in written.items()}
