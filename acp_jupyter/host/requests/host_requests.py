"""Permission requests that the host makes itself, before it acts for an agent."""

from __future__ import annotations

import secrets

from pydantic import JsonValue

from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.protocol.host_events.notes import ImportedPacket
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import Diff, Permission, PermissionOption, ToolCall

ALLOW = "allow"
"""Id of the option that allows the action."""

HOST_OPTIONS = (
    PermissionOption(option_id=ALLOW, name="Allow", option_kind="allow_once"),
    PermissionOption(option_id="reject", name="Reject", option_kind="reject_once"),
)


async def request_for_host(
    journal: Journal,
    permissions: PermissionRequests,
    request_id: str,
    call: Obj,
    *,
    words: str,
    reason: str = "",
    withdrawable: bool = True,
) -> str | None:
    """Make a permission request of the host, for policy, rules or user to answer.

    Parameters
    ----------
    request_id
        A new id.
    call
        The tool call, as in ACP's ``session/request_permission``.
    words
        The action in words, e.g. ``run code in the notebook's kernel``.
    reason
        Further text for the user.
    withdrawable
        Whether cancelling the waiting task means that the agent withdrew the request.

    Returns
    -------
    str or None
        Id of the chosen option; None if the turn was stopped.

    Raises
    ------
    PermissionWithdrawn
        The agent withdrew the request.
    """

    def say(packet: Obj) -> None:
        journal.note(ImportedPacket(packet=packet))

    options: list[JsonValue] = [
        {"optionId": each.option_id, "name": each.name, "kind": each.option_kind}
        for each in HOST_OPTIONS
    ]
    say(
        {
            "type": "permission_request",
            "request_id": request_id,
            "toolCall": call,
            "options": options,
            "wish": words,
            "reason": reason,
        }
    )
    option = await permissions.ask(
        request_id, given_up="withdrawn" if withdrawable else "agent_exited"
    )
    outcome: Obj = {"outcome": "cancelled"}
    if option is not None:
        outcome = {"outcome": "selected", "optionId": option}
    say({"type": "permission_response", "request_id": request_id, "outcome": outcome})
    return option


def host_call(
    kind: AcpKind,
    *,
    title: str,
    raw_input: JsonValue,
    path: str = "",
    command: str = "",
    diffs: tuple[Diff, ...] = (),
) -> ToolCall:
    """Return the request's tool call as it will be in the transcript."""
    return ToolCall(
        id="i0",
        tool_call_id=f"host-{secrets.token_hex(6)}",
        title=title,
        tool_kind=kind,
        path=path,
        command=command,
        locations=(Location(path=path),) if path else (),
        diffs=diffs,
        raw_input=raw_input,
        permission=Permission(request_id="h0", title=title, options=HOST_OPTIONS),
    )


def as_sent(call: ToolCall) -> Obj:
    """Return a tool call in the form of the protocol."""
    content: list[JsonValue] = [
        {"type": "diff", "path": diff.path, "oldText": diff.old_text, "newText": diff.new_text}
        for diff in call.diffs
    ]
    places: list[JsonValue] = [{"path": place.path} for place in call.locations]
    return {
        "toolCallId": call.tool_call_id,
        "title": call.title,
        "kind": call.tool_kind,
        "status": "pending",
        "rawInput": call.raw_input,
        "locations": places,
        "content": content,
    }
