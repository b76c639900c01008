"""What the protocol's SDK has no model for, with the version of it that will bring one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

OLD = "none: it was in the protocol before its config options"
UNSTABLE = "none up to 1.0.0rc3: it is in the protocol's unstable schema"
EXTENSION = "none: it is outside the protocol"
VERSION_2 = "1.0 as `acp.experimental.v2`: it is in version 2 of the protocol"

METHODS: Mapping[str, str] = {
    "$/cancel_request": "1.0: it has a model before, and no name in `acp.meta`",
    "session/set_model": OLD,
    "session/set_title": UNSTABLE,
    "session/archive": UNSTABLE,
    "session/unarchive": UNSTABLE,
    "auth/status": UNSTABLE,
    "mcp/message": "none up to 1.0.0rc3: its models are of an older form, with connections",
    "tool_call/cancel": VERSION_2,
    "terminal/cancel": VERSION_2,
    "_session/steering": EXTENSION,
}
"""Methods that are sent or answered without a model of the SDK."""

FIELDS: Mapping[str, str] = {
    "initialize clientCapabilities.session.compaction": "1.0",
    "initialize clientCapabilities.session.notices": "1.0",
    "initialize clientCapabilities.subagents": UNSTABLE,
    "initialize info": VERSION_2,
    "initialize capabilities": VERSION_2,
    "session/new systemPrompt": UNSTABLE,
    "session/load systemPrompt": UNSTABLE,
    "session/resume systemPrompt": UNSTABLE,
    "session/fork systemPrompt": UNSTABLE,
    "session/list archived": UNSTABLE,
}
"""Fields that are sent though the model of their message does not know them."""


class McpMessage(BaseModel):
    """ACP: mcp/message, in the form of the newest schema."""

    server_id: Annotated[str, Field(alias="serverId")]
    request_id: Annotated[str, Field(alias="requestId")]
    method: str
    params: dict[str, Any] | None = None
