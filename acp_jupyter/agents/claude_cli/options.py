"""What a client can choose of a session: the CLI's permission modes and models; its commands."""

from __future__ import annotations

from acp_jupyter.agents.rpc import INVALID_PARAMS, Json, RpcError
from acp_jupyter.protocol.objects import Obj, items, obj, text

DEFAULT_MODE = "default"
MODEL_OPTION = "model"
_MOST_WORDS = 160

_MODES = {
    "default": ("Ask", "Asks before it changes files or runs commands"),
    "acceptEdits": ("Accept edits", "Edits files without asking; asks before commands"),
    "plan": ("Plan", "Reads and plans; changes nothing"),
    "dontAsk": ("Don't ask", "Rejects whatever it would have to ask for"),
}
"""``bypassPermissions`` is not among them: an agent that asks nothing is no choice of a menu."""

_MODELS = {"default": "Default", "opus": "Opus", "sonnet": "Sonnet", "haiku": "Haiku"}
"""The CLI's own names; it tells the full list when it has started."""


def modes(current: str) -> Json:
    """Return ACP's ``modes`` of a session."""
    available = [
        {"id": mode, "name": name, "description": words} for mode, (name, words) in _MODES.items()
    ]
    return {"currentModeId": current, "availableModes": available}


def known_mode(mode: object) -> str:
    """Return a mode that can be set.

    Raises
    ------
    RpcError
        There is no such mode.
    """
    if isinstance(mode, str) and mode in _MODES:
        return mode
    raise RpcError(INVALID_PARAMS, f"There is no mode {mode!r}. Modes: {', '.join(_MODES)}.")


class Models:
    """The models of a session, and the chosen one."""

    def __init__(self) -> None:
        self.current = "default"
        self._names = dict(_MODELS)
        self._descriptions: dict[str, str] = {}

    def learn(self, answer: Obj) -> bool:
        """Take the list from the CLI's answer to ``initialize``; tell whether there was one."""
        models = [obj(model) for model in items(answer.get("models"))]
        names = {text(m.get("value")): text(m.get("displayName")) for m in models}
        names.pop("", None)
        if not names:
            return False
        self._names = {value: name or value for value, name in names.items()}
        self._descriptions = {text(m.get("value")): text(m.get("description")) for m in models}
        return True

    def check(self, model: object) -> str:
        """Return a model that can be chosen.

        Raises
        ------
        RpcError
            There is no such model.
        """
        if isinstance(model, str) and model in self._names:
            return model
        names = ", ".join(self._names)
        raise RpcError(INVALID_PARAMS, f"There is no model {model!r}. Models: {names}.")

    def argument(self) -> str:
        """Return what the CLI is started with; nothing for its default."""
        return "" if self.current == "default" else self.current

    def config_options(self) -> list[Json]:
        """Return ACP's ``configOptions``."""
        options = [
            {"value": value, "name": name, "description": self._descriptions.get(value, "")}
            for value, name in self._names.items()
        ]
        return [
            {
                "id": MODEL_OPTION,
                "name": "Model",
                "category": "model",
                "type": "select",
                "currentValue": self.current,
                "options": options,
            }
        ]


def commands_update(answer: Obj) -> Json | None:
    """Return ACP's available_commands_update from the CLI's answer to ``initialize``."""
    commands: list[Json] = []
    for command in map(obj, items(answer.get("commands"))):
        name = text(command.get("name"))
        if name and not name.startswith("_"):
            entry: Json = {"name": name, "description": _one_line(command)}
            if hint := text(command.get("argumentHint")):
                entry["input"] = {"hint": hint}
            commands.append(entry)
    if not commands:
        return None
    return {"sessionUpdate": "available_commands_update", "availableCommands": commands}


def _one_line(command: Obj) -> str:
    """The CLI describes a command to its model, at length; the first sentence is for people."""
    line = " ".join(text(command.get("description")).split())
    sentence = line.partition(". ")[0]
    return sentence if len(sentence) <= _MOST_WORDS else f"{sentence[: _MOST_WORDS - 1]}…"
