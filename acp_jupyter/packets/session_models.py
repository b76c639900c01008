"""Packets about a session as a whole, and the few things that only seeds 002 and 003 say."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from acp_jupyter.packets.abilities import Ability
from acp_jupyter.packets.login_models import AuthMethod
from acp_jupyter.packets.models import PacketModel, TimedPacket

__all__ = [
    "AgentInfoPacket",
    "AvailableCommandsUpdate",
    "CancelSent",
    "CommandEntry",
    "ConfigOptionUpdate",
    "CurrentModeUpdate",
    "CurrentModelUpdate",
    "MessageEnd",
    "MessageStart",
    "NoticePacket",
    "RawModes",
    "SessionInfoUpdate",
    "SessionSetup",
    "StepEnd",
    "StepStart",
    "UsageUpdate",
]


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
    """ACP: current_mode_update; S3.17 with a description."""

    type: Literal["current_mode_update"] = "current_mode_update"
    mode_id: str
    description: str = ""


class CurrentModelUpdate(TimedPacket):
    """The answer to session/set_model, which the protocol no longer has and agents do."""

    type: Literal["current_model_update"] = "current_model_update"
    model_id: str


class ConfigOptionUpdate(TimedPacket):
    """ACP: config_option_update; the full list."""

    type: Literal["config_option_update"] = "config_option_update"
    options: tuple[dict[str, JsonValue], ...]


class SessionInfoUpdate(TimedPacket):
    """ACP: session_info_update; a null title clears, an absent one is kept."""

    type: Literal["session_info_update"] = "session_info_update"
    title: str | None = None
    clears_title: bool = False
    model: str = ""
    """S4.21."""
    tools: tuple[str, ...] = ()
    """S4.21: names of the agent's tools."""


class UsageUpdate(TimedPacket):
    """ACP: usage_update."""

    type: Literal["usage_update"] = "usage_update"
    used: int
    size: int
    cost_amount: float | None = None
    cost_currency: str = ""


class NoticePacket(TimedPacket):
    """ACP: notice, compaction_update, compaction_summary_chunk; S4.22."""

    type: Literal["notice"] = "notice"
    severity: Literal["info", "warning", "error"] = "info"
    title: str = ""
    text: str = ""
    detail: str = ""
    """Lines for those who look closer."""
    key: str = ""
    """What it is about: a later one with this key takes its place. Alone it adds to ``detail``."""


class RawModes(PacketModel):
    """ACP: session modes, as a session/new result carries them."""

    modes: tuple[tuple[str, str, str], ...] = ()
    """id, name, description of each."""
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
    """What it can do with sessions."""
    auth_methods: tuple[AuthMethod, ...] = ()


class CancelSent(TimedPacket):
    """ACP: session/cancel, by the client; however the agent ends the turn, it was stopped."""

    type: Literal["cancel_sent"] = "cancel_sent"


class StepStart(TimedPacket):
    """S3.4: a named thought begins."""

    type: Literal["step_start"] = "step_start"
    step_id: str
    step_name: str = ""


class StepEnd(TimedPacket):
    """S3.6."""

    type: Literal["step_end"] = "step_end"
    step_id: str
    status: str = "completed"


class MessageStart(TimedPacket):
    """S3.13: what the agent says next is a message of its own."""

    type: Literal["output_start"] = "output_start"


class MessageEnd(TimedPacket):
    """S3.13."""

    type: Literal["output_end"] = "output_end"
