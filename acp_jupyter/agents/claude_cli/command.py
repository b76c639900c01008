"""Finds and starts the CLI; the options that a client can set for a session."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.agents.rpc import INVALID_PARAMS, Json, RpcError
from acp_jupyter.protocol.formatting import shorten
from acp_jupyter.protocol.objects import Obj, items, obj, text

_PATH_VARIABLE = "CLAUDE_CLI_PATH"
_INSTALL = "npm install -g @anthropic-ai/claude-code"

_STREAMS = (
    "-p",
    "--verbose",
    "--input-format", "stream-json",
    "--output-format", "stream-json",
    "--include-partial-messages",
    "--permission-prompt-tool", "stdio",
)  # fmt: skip

_NOT_INHERITED = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"})
"""With these variables, the CLI takes itself for a part of another one."""


class CliMissingError(Exception):
    """The Claude CLI was not found; the message says what to do."""


@dataclass(frozen=True, slots=True)
class CliLaunch:
    """The options that differ from one start to the next."""

    session_id: str
    resumes: bool
    mode: str
    model: str
    servers: Json
    """MCP servers, in the CLI's format."""
    can_ask: bool = False
    """Whether the client can show questions of the CLI's question tool."""


def find_cli(environment: Mapping[str, str]) -> str:
    """Return the path of the CLI."""
    configured = environment.get(_PATH_VARIABLE)
    if configured:
        found = shutil.which(os.path.expanduser(configured), path=_absolute_path(environment))
        if found is None:
            raise CliMissingError(
                f"{_PATH_VARIABLE} is {configured}, but there is no such program. "
                "Correct the variable, or remove it to use claude from the PATH."
            )
        return os.path.abspath(found)
    found = shutil.which("claude", path=_absolute_path(environment))
    if found is None:
        raise CliMissingError(
            "The Claude CLI is not installed: there is no program called claude on the PATH. "
            f"Install it with: {_INSTALL}. If it is elsewhere, set {_PATH_VARIABLE} to its path."
        )
    return found


def _absolute_path(environment: Mapping[str, str]) -> str:
    """Skips relative entries of the PATH, which would find a program in the user's workspace."""
    entries = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def cli_arguments(launch: CliLaunch, mcp_config: Path | None) -> list[str]:
    """Return the CLI's arguments."""
    session = "--resume" if launch.resumes else "--session-id"
    arguments = [*_STREAMS, session, launch.session_id, "--permission-mode", launch.mode]
    if launch.model:
        arguments += ["--model", launch.model]
    if not launch.can_ask:
        arguments.append("--disallowedTools=AskUserQuestion")
    if mcp_config is not None:
        arguments += ["--mcp-config", str(mcp_config)]
    return arguments


def cli_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the CLI's environment: ours, with a variable that makes it report when it is idle."""
    inherited = {name: value for name, value in environment.items() if name not in _NOT_INHERITED}
    return {**inherited, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}


def mcp_servers(raw: object) -> Json:
    """Return the client's servers in the CLI's format."""
    servers: Json = {}
    for server in raw if isinstance(raw, list) else []:
        match server:
            case {"name": str(name), "command": str(command)}:
                servers[name] = {
                    "type": "stdio",
                    "command": command,
                    "args": [arg for arg in server.get("args") or [] if isinstance(arg, str)],
                    "env": _pairs(server.get("env")),
                }
            case {"name": str(name), "type": "http" | "sse" as kind, "url": str(url)}:
                headers = _pairs(server.get("headers"))
                servers[name] = {"type": kind, "url": url, "headers": headers}
            case _:
                raise RpcError(INVALID_PARAMS, "An MCP server can't be read.")
    return servers


def _pairs(raw: object) -> Json:
    found: Iterable[object] = raw if isinstance(raw, list) else []
    return {
        pair["name"]: pair["value"]
        for pair in found
        if isinstance(pair, dict) and isinstance(pair.get("name"), str) and "value" in pair
    }


def write_mcp_config(servers: Json) -> Path | None:
    """Write the servers to a file that only its owner can read: they may have keys."""
    if not servers:
        return None
    handle, name = tempfile.mkstemp(prefix="claude-cli-mcp-", suffix=".json")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": servers}, file)
    return Path(name)


DEFAULT_MODE = "default"
MODEL_OPTION = "model"
_MAX_WORDS = 160

_MODES = {
    "default": ("Ask", "Asks before it changes files or runs commands"),
    "acceptEdits": ("Accept edits", "Edits files without asking; asks before commands"),
    "plan": ("Plan", "Reads and plans; changes nothing"),
    "dontAsk": ("Don't ask", "Rejects whatever it would have to ask for"),
}
"""Without ``bypassPermissions``: a mode that never asks should not be in a menu."""

_MODELS = {"default": "Default", "opus": "Opus", "sonnet": "Sonnet", "haiku": "Haiku"}
"""The CLI's own names; it sends the full list after its start."""


def modes(current: str) -> Json:
    """Return ACP's ``modes`` of a session."""
    available = [
        {"id": mode, "name": name, "description": words} for mode, (name, words) in _MODES.items()
    ]
    return {"currentModeId": current, "availableModes": available}


def known_mode(mode: object) -> str:
    """Return a mode, if it can be set."""
    if isinstance(mode, str) and mode in _MODES:
        return mode
    raise RpcError(INVALID_PARAMS, f"There is no mode {mode!r}. Modes: {', '.join(_MODES)}.")


class CliModels:
    """The models of a session, and the selected one."""

    def __init__(self) -> None:
        self.current = "default"
        self._names = dict(_MODELS)
        self._descriptions: dict[str, str] = {}

    def learn(self, answer: Obj) -> bool:
        """Take the list from the CLI's response to ``initialize``; return whether it had one."""
        models = [obj(model) for model in items(answer.get("models"))]
        names = {text(m.get("value")): text(m.get("displayName")) for m in models}
        names.pop("", None)
        if not names:
            return False
        self._names = {value: name or value for value, name in names.items()}
        self._descriptions = {text(m.get("value")): text(m.get("description")) for m in models}
        return True

    def check(self, model: object) -> str:
        """Return a model, if it can be selected."""
        if isinstance(model, str) and model in self._names:
            return model
        names = ", ".join(self._names)
        raise RpcError(INVALID_PARAMS, f"There is no model {model!r}. Models: {names}.")

    def argument(self) -> str:
        """Return the CLI's argument for the model; empty for its default."""
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
    """Return ACP's available_commands_update, made from the CLI's response to ``initialize``."""
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
    """The CLI describes its commands to the model at length; people get the first sentence."""
    line = " ".join(text(command.get("description")).split())
    return shorten(line.partition(". ")[0], _MAX_WORDS)
