"""Host requests: permission requests that the host makes itself, in an agent's place."""

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
"""Id of the option that allows what the host asks for."""

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
    """Put a permission request of the host's own to policy, rules and user.

    Parameters
    ----------
    request_id
        New.
    call
        ACP: the tool call of ``session/request_permission``.
    words
        What the user reads: ``run code in the notebook's kernel``.
    reason
        What else the user should know.
    withdrawable
        Whether the waiting task is cancelled by the agent, and not by its end.

    Returns
    -------
    str or None
        Id of the chosen option; None where the turn was stopped.

    Raises
    ------
    PermissionWithdrawn
        The agent took it back.
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
    """Return the tool call that stands for the request, as the transcript will have it."""
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
    """Return a tool call as the protocol has it."""
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
