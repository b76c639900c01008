"""Parses a session's setup and its updates: plans, modes, options, usage, errors, ends."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.protocol.content import MEDIA, read_block
from acp_jupyter.protocol.errors import error_detail
from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.objects import Obj, count, first, items, obj, text, text_or_none
from acp_jupyter.protocol.packets import (
    AgentPlanUpdate,
    ErrorPacket,
    PlanEntryPacket,
    PlanRemoved,
    PromptResponse,
    PromptUsage,
)
from acp_jupyter.protocol.parse.failures import cause_of
from acp_jupyter.protocol.parse.login import auth_methods
from acp_jupyter.protocol.session_packets import (
    AgentInfoPacket,
    AuthStatusUpdate,
    AvailableCommandsUpdate,
    BackgroundWork,
    CallCancel,
    CommandEntry,
    ConfigOptionUpdate,
    CurrentModelUpdate,
    CurrentModeUpdate,
    NoticePacket,
    RawModes,
    SessionInfoUpdate,
    SessionSetup,
    UsageUpdate,
    abilities,
)
from acp_jupyter.protocol.version_2.meta_keys import BACKGROUND
from acp_jupyter.protocol.vocabulary import normalize_todo_status, read_priority

MODEL_OPTION = "model"
"""Id and category of the config option that replaces the older field ``models``."""

_PROMPT_CAPABILITIES = (*MEDIA, "embeddedContext")

_SEVERITIES: dict[str, Literal["info", "warning", "error"]] = {
    "warning": "warning",
    "error": "error",
}

_COMPACTIONS = {
    "in_progress": "Making room in the context",
    "completed": "Older messages were summarised",
    "failed": "The context could not be summarised",
    "cancelled": "Summarising was stopped",
}

COMPACTING = _COMPACTIONS["in_progress"]
"""Title of a compaction whose summary arrives before anything else about it."""

_DETAIL = "acp-jupyter/detail"
_SESSION = "acp-jupyter/session"


def plan(raw: Obj) -> AgentPlanUpdate:
    """ACP: plan, plan_update. It may be only text, or a file, which is shown by its path."""
    inner = raw.get("plan")
    body = inner if isinstance(inner, dict) else raw
    words = inner if isinstance(inner, str) else first(body, "content", "markdown", "text", "uri")
    listed = items(first(body, "entries", "items"))
    return AgentPlanUpdate(
        plan_id=text(first(body, "planId", "plan_id")),
        entries=tuple(_entry(entry) for entry in map(obj, listed) if entry),
        text=text(words),
    )


def _entry(raw: Obj) -> PlanEntryPacket:
    """Read one step; its text may be called content or description, its priority be a number."""
    return PlanEntryPacket(
        content=text(first(raw, "content", "description")),
        priority=read_priority(raw.get("priority")),
        status=normalize_todo_status(raw.get("status")),
    )


CALL_CANCELS = frozenset({"tool_call/cancel", "terminal/cancel"})
"""The client's requests that cancel one piece of the agent's work."""


def call_cancel(asked: Obj, *, refused: bool = False) -> CallCancel:
    """ACP: tool_call/cancel, terminal/cancel: the client's request, or its refusal."""
    return CallCancel(
        tool_call_id=text(asked.get("toolCallId")),
        terminal_id=text(asked.get("terminalId")),
        refused=refused,
    )


def plan_removed(raw: Obj) -> PlanRemoved:
    """ACP: plan_removed."""
    return PlanRemoved(plan_id=text(first(raw, "planId", "plan_id")))


def commands(raw: Obj) -> AvailableCommandsUpdate:
    """ACP: available_commands_update."""
    listed = items(first(raw, "availableCommands", "available_commands"))
    return AvailableCommandsUpdate(
        commands=tuple(
            CommandEntry(
                name=text(entry.get("name")),
                description=text(entry.get("description")),
                hint=text(obj(entry.get("input")).get("hint")),
            )
            for entry in map(obj, listed)
            if text(entry.get("name"))
        )
    )


def mode(raw: Obj) -> CurrentModeUpdate | None:
    """ACP: current_mode_update; in build mode with a description."""
    mode_id = text(first(raw, "currentModeId", "current_mode_id", "mode"))
    if not mode_id:
        return None
    return CurrentModeUpdate(mode_id=mode_id, description=text(raw.get("description")))


def config(raw: Obj) -> ConfigOptionUpdate:
    """ACP: config_option_update."""
    listed = items(first(raw, "configOptions", "config_options"))
    return ConfigOptionUpdate(options=tuple(option for option in map(obj, listed) if option))


def info(raw: Obj) -> SessionInfoUpdate:
    """ACP: session_info_update; the Claude CLI's model and tools are in ``_meta``."""
    meta = obj(raw.get("_meta"))
    session, works = obj(meta.get(_SESSION)), meta.get(BACKGROUND)
    return SessionInfoUpdate(
        title=text_or_none(raw.get("title")),
        clears_title="title" in raw and raw["title"] is None,
        model=text(session.get("model")),
        tools=tuple(name for name in items(session.get("tools")) if isinstance(name, str)),
        background=tuple(map(_work, items(works))) if isinstance(works, list) else None,
    )


def _work(raw: JsonValue) -> BackgroundWork:
    work = obj(raw)
    match work.get("type"):
        case "tool_call":
            return BackgroundWork(tool_call_id=text(work.get("toolCallId")))
        case "terminal":
            return BackgroundWork(terminal_id=text(work.get("terminalId")))
        case _:
            return BackgroundWork()


def usage(raw: Obj) -> UsageUpdate | None:
    """ACP: usage_update."""
    used, size = count(raw.get("used")), count(raw.get("size"))
    if used is None or size is None:
        return None
    cost = obj(raw.get("cost"))
    amount = cost.get("amount")
    is_amount = isinstance(amount, int | float) and not isinstance(amount, bool)
    return UsageUpdate(
        used=used,
        size=size,
        cost_amount=float(amount) if is_amount and isinstance(amount, int | float) else None,
        cost_currency=text(cost.get("currency")),
    )


def notice(raw: Obj) -> NoticePacket | None:
    """ACP: notice; the output of a hook of the Claude CLI is in ``_meta``."""
    notice = NoticePacket(
        severity=_SEVERITIES.get(text(raw.get("severity")), "info"),
        title=text(raw.get("title")),
        text=text(first(raw, "description", "message")),
        detail=text(obj(raw.get("_meta")).get(_DETAIL)),
    )
    return notice if notice.title or notice.text or notice.detail else None


def compaction(raw: Obj) -> NoticePacket:
    """ACP: compaction_update. Null clears the summary or the error; absence keeps it."""
    status, summary = text(raw.get("status")), raw.get("summary")
    blocks = map(read_block, items(summary))
    emptied: tuple[tuple[Literal["text", "detail"], bool], ...] = (
        ("text", "error" in raw and raw["error"] is None),
        ("detail", "summary" in raw and summary in (None, [])),
    )
    return NoticePacket(
        severity="warning" if status == "failed" else "info",
        title=_COMPACTIONS.get(status, "Context"),
        text=text(summary) or text(raw.get("error")),
        detail="".join(block.text for block in blocks if block is not None),
        key=text(first(raw, "compactionId", "compaction_id")),
        clears=tuple(name for name, is_empty in emptied if is_empty),
    )


def compaction_chunk(raw: Obj) -> NoticePacket | None:
    """ACP: compaction_summary_chunk."""
    block = read_block(raw.get("content"))
    key = text(first(raw, "compactionId", "compaction_id"))
    return NoticePacket(key=key, detail=block.text) if block is not None and key else None


def prompt_response(raw: Obj) -> PromptResponse:
    """ACP: the result of session/prompt; in build mode ``done``."""
    claude = obj(obj(raw.get("_meta")).get("claudeCode"))
    usage = obj(raw.get("usage"))
    tokens = PromptUsage(
        total_tokens=count(first(usage, "totalTokens", "total_tokens")),
        input_tokens=count(first(usage, "inputTokens", "input_tokens")),
        output_tokens=count(first(usage, "outputTokens", "output_tokens")),
    )
    return PromptResponse(
        stop_reason=text(first(raw, "stopReason", "stop_reason")) or "end_turn",
        detail=text(claude.get("subtype")),
        summary=text(raw.get("summary")),
        usage=None if tokens == PromptUsage() else tokens,
        duration_seconds=_seconds(claude.get("durationMs")),
    )


def _seconds(milliseconds: JsonValue) -> float | None:
    whole = count(milliseconds)
    return None if whole is None else whole / 1000


def error(raw: JsonValue) -> ErrorPacket:
    """ACP: a JSON-RPC error. Codes are text, because Onyx uses words for them."""
    if not isinstance(raw, dict):
        return ErrorPacket(message=raw if isinstance(raw, str) else json.dumps(raw))
    code = raw.get("code")
    data = raw.get("data")
    message = _plain(text(raw.get("message"))) or "The agent reported an error."
    detail = _plain(error_detail(data))
    word = str(code) if isinstance(code, str | int) else ""
    return ErrorPacket(
        message=message,
        code=word,
        detail="" if detail == message else detail,
        cause=cause_of(word, message, detail, data),
        duration_seconds=_seconds(obj(data).get("durationMs")),
    )


def _plain(message: str) -> str:
    """Return the sentence in a provider's error that was passed on as JSON (codex, gemini)."""
    try:
        body = read_json(message)
    except (ValueError, RecursionError):
        return message
    return text(obj(obj(body).get("error", body)).get("message")) or message


_AUTH_STATES: dict[str, Literal["authenticated", "unauthenticated", "not_required"]] = {
    "authenticated": "authenticated",
    "unauthenticated": "unauthenticated",
    "not_required": "not_required",
    "none": "unauthenticated",  # Claude's and Codex's word, of a ``kind`` of login
}


def auth_status(raw: Obj) -> AuthStatusUpdate:
    """ACP: auth/status, auth/status_update; Claude and Codex send it as ``authStatus``."""
    own = obj(raw.get("authStatus"))
    kind = text(own.get("kind"))
    if kind:
        state = _AUTH_STATES.get(kind, "authenticated")
        return AuthStatusUpdate(state=state, label=text(own.get("label")))
    accounts = [*map(obj, items(raw.get("accounts")))]
    used = [account for account in accounts if account.get("active") is True] or accounts
    return AuthStatusUpdate(
        state=_AUTH_STATES.get(text(raw.get("state")), "unknown"),
        label=", ".join(label for each in used if (label := text(each.get("label")))),
    )


def agent_info(result: Obj) -> AgentInfoPacket:
    """ACP: the result of initialize."""
    info = obj(first(result, "agentInfo", "agent_info"))
    caps = obj(first(result, "agentCapabilities", "agent_capabilities"))
    flags = obj(first(caps, "promptCapabilities", "prompt_capabilities"))
    return AgentInfoPacket(
        title=text(first(info, "title", "name")),
        version=text(info.get("version")),
        prompt_capabilities=tuple(name for name in _PROMPT_CAPABILITIES if flags.get(name) is True),
        can=abilities(result),
        auth_methods=auth_methods(result),
    )


def session_setup(result: Obj) -> SessionSetup:
    """ACP: the result of session/new, load, resume, fork and set_config_option."""
    raw = result.get("modes")
    options = first(result, "configOptions", "config_options")
    listed = None
    if isinstance(options, list):
        listed = tuple(option for option in map(obj, options) if option)
    model = _model_option(result)
    if model is not None and not any(_chooses_model(option) for option in listed or ()):
        listed = (*(listed or ()), model)
    return SessionSetup(modes=_modes(raw) if isinstance(raw, dict) else None, options=listed)


def current_choice(method: str, request: Obj) -> list[CurrentModeUpdate | CurrentModelUpdate]:
    """Return the state after a mode or model was chosen, since some agents send no update."""
    mode = text(first(request, "modeId", "mode_id"))
    model = text(first(request, "modelId", "model_id"))
    if method == "session/set_mode" and mode:
        return [CurrentModeUpdate(mode_id=mode)]
    if method == "session/set_model" and model:
        return [CurrentModelUpdate(model_id=model)]
    return []


def legacy_models(result: Obj) -> tuple[Obj, ...]:
    """Return the models of the older field, which only ``session/set_model`` can choose."""
    raw = obj(result.get("models"))
    listed = map(obj, items(first(raw, "availableModels", "available_models")))
    return tuple(model for model in listed if text(first(model, "modelId", "model_id")))


def _model_option(result: Obj) -> dict[str, JsonValue] | None:
    models = legacy_models(result)
    if not models:
        return None
    choices: list[JsonValue] = [
        {
            "value": text(first(model, "modelId", "model_id")),
            "name": text(model.get("name")),
            "description": text(model.get("description")),
        }
        for model in models
    ]
    return {
        "id": MODEL_OPTION,
        "category": MODEL_OPTION,
        "name": "Model",
        "type": "select",
        "currentValue": text(
            first(obj(result.get("models")), "currentModelId", "current_model_id")
        ),
        "options": choices,
    }


def _chooses_model(option: Obj) -> bool:
    return MODEL_OPTION in (option.get("category"), first(option, "id", "configId"))


def _modes(raw: Obj) -> RawModes:
    listed = items(first(raw, "availableModes", "available_modes"))
    return RawModes(
        modes=tuple(
            (text(m["id"]), text(m.get("name")) or text(m["id"]), text(m.get("description")))
            for m in map(obj, listed)
            if text(m.get("id"))
        ),
        current=text(first(raw, "currentModeId", "current_mode_id")),
    )
