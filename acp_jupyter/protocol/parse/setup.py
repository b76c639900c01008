"""Parsing of answers to initialize, session/new, load and others: agent, modes, models, options."""

from __future__ import annotations

from pydantic import JsonValue

from acp_jupyter.protocol.objects import Obj, first, items, obj, text
from acp_jupyter.protocol.parse.login import auth_methods
from acp_jupyter.protocol.parse.packet import Packet
from acp_jupyter.protocol.session_packets import (
    AgentInfoPacket,
    CurrentModelUpdate,
    CurrentModeUpdate,
    RawModes,
    SessionSetup,
    abilities,
)

MODEL_OPTION = "model"
"""Id and category of the config option that stands for the older field ``models``."""

_PROMPT_CAPABILITIES = ("image", "audio", "embeddedContext")


def agent_info(result: Obj) -> AgentInfoPacket:
    """ACP: the result of initialize."""
    info = obj(first(result, "agentInfo", "agent_info"))
    caps = obj(first(result, "agentCapabilities", "agent_capabilities"))
    flags = obj(first(caps, "promptCapabilities", "prompt_capabilities"))
    return AgentInfoPacket(
        title=text(first(info, "title", "name")),
        version=text(info.get("version")),
        prompt_capabilities=tuple(name for name in _PROMPT_CAPABILITIES if flags.get(name) is True),
        can=abilities(caps),
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


def current_choice(method: str, request: Obj) -> list[Packet]:
    """Return what is so once a mode or a model was chosen: some agents say nothing more."""
    mode = text(first(request, "modeId", "mode_id"))
    model = text(first(request, "modelId", "model_id"))
    if method == "session/set_mode" and mode:
        return [CurrentModeUpdate(mode_id=mode)]
    if method == "session/set_model" and model:
        return [CurrentModelUpdate(model_id=model)]
    return []


def legacy_models(result: Obj) -> tuple[Obj, ...]:
    """Return the models of the older field, which only ``session/set_model`` chooses."""
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
