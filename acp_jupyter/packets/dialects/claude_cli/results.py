"""What one object of the Claude CLI means to a client of the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_jupyter.packets.json_fields import Obj

__all__ = [
    "CliResult",
    "ControlAnswered",
    "ControlAsked",
    "PermissionAsked",
    "PermissionWithdrawn",
    "StateChanged",
    "TurnEnd",
    "TurnError",
    "Update",
]


@dataclass(frozen=True, slots=True)
class Update:
    """ACP: the ``update`` of a session/update."""

    update: Obj


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """ACP: the result of session/prompt."""

    response: Obj
    of_prompt: bool = True
    """False for a turn that the CLI began by itself, after a background task."""


@dataclass(frozen=True, slots=True)
class TurnError:
    """A JSON-RPC error that answers session/prompt."""

    error: Obj
    of_prompt: bool = True
    needs_login: bool = False


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """ACP: session/request_permission, without the session's id."""

    request_id: str
    """Of the CLI's control request, for the answer."""
    params: Obj
    tool_input: Obj
    """Goes back to the CLI unchanged when the tool call is allowed."""
    grants: dict[str, list[Obj]] = field(default_factory=dict)
    """What an option allows beyond this call, as the CLI wants it said, by option id."""
    tool_name: str = ""
    """As the CLI spells it."""


@dataclass(frozen=True, slots=True)
class PermissionWithdrawn:
    """The CLI does not wait for this answer any more."""

    request_id: str


@dataclass(frozen=True, slots=True)
class ControlAsked:
    """Any other request of the CLI; it waits for an answer."""

    request_id: str
    subtype: str


@dataclass(frozen=True, slots=True)
class ControlAnswered:
    """The CLI's answer to a request of ours."""

    request_id: str
    response: Obj
    error: str = ""


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The CLI is ``running``, ``idle`` or waits in ``requires_action``."""

    state: str


CliResult = (
    Update
    | TurnEnd
    | TurnError
    | PermissionAsked
    | PermissionWithdrawn
    | ControlAsked
    | ControlAnswered
    | StateChanged
)
