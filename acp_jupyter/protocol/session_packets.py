"""Packets about an agent or a session: capabilities, modes, options, commands, usage.

Also the starts and ends of steps and messages, which only Onyx streams have.
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, first, obj
from acp_jupyter.protocol.packets import PacketModel, TimedPacket
from acp_jupyter.protocol.parse.login import AuthMethod

Ability = Literal[
    "load",
    "resume",
    "list",
    "fork",
    "close",
    "delete",
    "logout",
    "http",
    "sse",
    "acp",
    "additionalDirectories",
    "systemPrompt",
    "title",
    "archive",
    "authStatus",
    "steering",
]
"""``http``, ``sse`` and ``acp``: transports of MCP servers beside stdio, which every agent
supports.

``authStatus`` is the protocol's ``auth.status``. ``steering`` is an extension: a message is
accepted while a turn runs.
"""

_ALL: tuple[Ability, ...] = get_args(Ability)


def abilities(hello: Obj) -> tuple[Ability, ...]:
    """Read the result of ``initialize``; ``{}`` means true; false, null and absence mean false."""
    capabilities = obj(first(hello, "agentCapabilities", "agent_capabilities"))
    session = obj(first(capabilities, "sessionCapabilities", "session_capabilities"))
    auth = obj(capabilities.get("auth"))
    mcp = obj(first(capabilities, "mcpCapabilities", "mcp_capabilities"))
    values: dict[Ability, object] = {
        "load": first(capabilities, "loadSession", "load_session"),
        "resume": session.get("resume"),
        "list": session.get("list"),
        "fork": session.get("fork"),
        "close": session.get("close"),
        "delete": session.get("delete"),
        "logout": auth.get("logout"),
        "http": mcp.get("http"),
        "sse": mcp.get("sse"),
        "acp": mcp.get("acp"),
        "additionalDirectories": first(session, "additionalDirectories", "additional_directories"),
        "systemPrompt": first(session, "systemPrompt", "system_prompt"),
        "title": session.get("title"),
        "archive": session.get("archive"),
        "authStatus": auth.get("status"),
        "steering": obj(obj(hello.get("_meta")).get("steering")).get("supported"),
    }
    return tuple(name for name in _ALL if _yes(values[name]))


def _yes(value: object) -> bool:
    return value is True or isinstance(value, dict)


class CommandEntry(PacketModel):
    """ACP: available command."""

    name: str
    description: str = ""
    hint: str = ""


class AvailableCommandsUpdate(TimedPacket):
    """ACP: available_commands_update."""

    type: Literal["available_commands_update"] = "available_commands_update"
    commands: tuple[CommandEntry, ...]


class CurrentModeUpdate(TimedPacket):
    """ACP: current_mode_update; in build mode with a description."""

    type: Literal["current_mode_update"] = "current_mode_update"
    mode_id: str
    description: str = ""


class CurrentModelUpdate(TimedPacket):
    """The response to session/set_model, which agents still have though the protocol dropped it."""

    type: Literal["current_model_update"] = "current_model_update"
    model_id: str


class ConfigOptionUpdate(TimedPacket):
    """ACP: config_option_update; the full list."""

    type: Literal["config_option_update"] = "config_option_update"
    options: tuple[dict[str, JsonValue], ...]


class BackgroundWork(PacketModel):
    """ACP: background work, named by what the agent said about it before."""

    tool_call_id: str = ""
    terminal_id: str = ""
    """Both are empty for other kinds of work."""


class SessionInfoUpdate(TimedPacket):
    """ACP: session_info_update; a null title clears it, an absent one keeps it."""

    type: Literal["session_info_update"] = "session_info_update"
    title: str | None = None
    clears_title: bool = False
    model: str = ""
    """As the Claude CLI reports it at its start."""
    tools: tuple[str, ...] = ()
    """Names of the agent's tools."""
    background: tuple[BackgroundWork, ...] | None = None
    """All background work; None if the update has no list."""


class UsageUpdate(TimedPacket):
    """ACP: usage_update."""

    type: Literal["usage_update"] = "usage_update"
    used: int
    size: int
    cost_amount: float | None = None
    cost_currency: str = ""


class NoticePacket(TimedPacket):
    """ACP: notice, compaction_update, compaction_summary_chunk; a hook of the Claude CLI."""

    type: Literal["notice"] = "notice"
    severity: Literal["info", "warning", "error"] = "info"
    title: str = ""
    text: str = ""
    detail: str = ""
    """Details, one per line."""
    key: str = ""
    """Its key: a later notice with the same key replaces it. On its own, it adds to ``detail``."""
    clears: tuple[Literal["text", "detail"], ...] = ()
    """Whether a later notice with this key clears what it omits; otherwise that is kept."""


class RawModes(PacketModel):
    """ACP: session modes, as in the result of session/new."""

    modes: tuple[tuple[str, str, str], ...] = ()
    """Id, name and description of each."""
    current: str = ""


class SessionSetup(TimedPacket):
    """ACP: the result of session/new, load or resume."""

    type: Literal["session_setup"] = "session_setup"
    modes: RawModes | None = None
    options: tuple[dict[str, JsonValue], ...] | None = None


class AgentInfoPacket(TimedPacket):
    """ACP: the result of initialize."""

    type: Literal["agent_info"] = "agent_info"
    title: str = ""
    version: str = ""
    prompt_capabilities: tuple[str, ...] = ()
    can: tuple[Ability, ...] = ()
    """Its session capabilities."""
    auth_methods: tuple[AuthMethod, ...] = ()


class AuthStatusUpdate(TimedPacket):
    """ACP: auth/status, auth/status_update, and ``_auth/status_update`` of Claude and Codex."""

    type: Literal["auth_status_update"] = "auth_status_update"
    state: Literal["authenticated", "unauthenticated", "not_required", "unknown"] = "unknown"
    label: str = ""
    """The login in use, e.g. ``Claude Max``. Names and addresses of people are left out."""


class CancelSent(TimedPacket):
    """ACP: session/cancel, by the client; the turn counts as stopped, however the agent ends it."""

    type: Literal["cancel_sent"] = "cancel_sent"


class CallCancel(TimedPacket):
    """ACP: tool_call/cancel, terminal/cancel, by the client; or the agent's refusal.

    A subagent's call is cancelled by the session/cancel of its session.
    """

    type: Literal["call_cancel"] = "call_cancel"
    tool_call_id: str = ""
    terminal_id: str = ""
    refused: bool = False


class StepStart(TimedPacket):
    """A named thought begins."""

    type: Literal["step_start"] = "step_start"
    step_id: str
    step_name: str = ""


class StepEnd(TimedPacket):
    """A named thought ends."""

    type: Literal["step_end"] = "step_end"
    step_id: str
    status: str = "completed"


class MessageStart(TimedPacket):
    """A message begins: the agent's text continues in a new one."""

    type: Literal["output_start"] = "output_start"


class MessageEnd(TimedPacket):
    """A message ends."""

    type: Literal["output_end"] = "output_end"
