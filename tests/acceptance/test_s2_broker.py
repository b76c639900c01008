"""Permission requests as the protocol's own Python SDK writes them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from acp.contrib.permissions import PermissionBroker
from acp.helpers import tool_diff_content
from acp.schema import (
    PermissionOption,
    RequestPermissionRequest,
    RequestPermissionResponse,
    ToolCallLocation,
    ToolCallUpdate,
)

from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.acceptance.sdk_turns import Told
from tests.acceptance.shown import only


def broker(told: Told, **asked: Any) -> ToolCall:
    """Ask as the SDK's broker does; return the card."""

    async def take(request: RequestPermissionRequest) -> RequestPermissionResponse:
        raw = request.model_dump(mode="json", by_alias=True, exclude_none=True)
        told.ask(raw["toolCall"], raw["options"])
        raise ConnectionError

    asking = PermissionBroker("a1", take, tracker=told.tracker)
    with pytest.raises(ConnectionError):
        asyncio.run(asking.request_for("edit", **asked))
    return only(told, ToolCall)


def edit(told: Told) -> None:
    place = ToolCallLocation(path="/ws/config.json")
    content = [tool_diff_content("/ws/config.json", "b", "a")]
    told.send(
        told.tracker.start(
            "edit", title="Edit config", kind="edit", locations=[place], content=content
        )
    )


def test_the_broker_fills_in_what_is_tracked() -> None:
    """S2.41: its description comes as one more text, and is shown in the request."""
    told = Told()
    edit(told)
    card = broker(told, description="This changes the main configuration.")
    assert card.permission is not None
    assert card.permission.state == "pending"
    assert (card.tool_kind, card.path) == ("edit", "config.json")
    assert [(d.old_text, d.new_text) for d in card.diffs] == [("a", "b")]
    assert card.output == "This changes the main configuration."


def test_what_the_broker_is_told_instead_counts() -> None:
    """S2.41: options, content, and the call itself."""
    told = Told()
    edit(told)
    only_one = PermissionOption(option_id="go", name="Go", kind="allow_once")
    content = [tool_diff_content("/ws/config.json", "c", "a")]
    asked = broker(told, options=[only_one], content=content).permission
    assert asked is not None
    assert [option.option_id for option in asked.options] == ["go"]
    assert [diff.new_text for diff in only(told, ToolCall).diffs] == ["c"]
    other = Told()
    call = ToolCallUpdate(tool_call_id="own", title="Remove all", kind="delete")
    card = broker(other, tool_call=call)
    assert (card.tool_call_id, card.title, card.tool_kind) == ("own", "Remove all", "delete")


def test_the_brokers_own_options() -> None:
    """S2.42: approve, approve for session, reject."""
    told = Told()
    edit(told)
    permission = broker(told).permission
    assert permission is not None
    assert [(o.option_id, o.name, o.option_kind) for o in permission.options] == [
        ("approve", "Approve", "allow_once"),
        ("approve_for_session", "Approve for session", "allow_always"),
        ("reject", "Reject", "reject_once"),
    ]
    told.answer(permission.request_id, "approve_for_session")
    settled = only(told, ToolCall).permission
    assert settled is not None
    assert (settled.state, settled.outcome) == ("allowed", "Always allowed")
