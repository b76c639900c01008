"""Agents that say what is nobody's business."""

from __future__ import annotations

import json
import os
import sys

from _wire import ALLOW, Json, Wire, in_turns, serve


@in_turns
def env_dump(wire: Wire, session_id: str, _: str) -> str:
    """Say the environment as JSON text."""
    wire.text(session_id, json.dumps(dict(os.environ)))
    return "end_turn"


@in_turns
def leaky(wire: Wire, session_id: str, text: str) -> str:
    """Say its secret and where its folder lies, in every place where an agent can put text."""
    secret, folder = os.environ["LEAKY_API_KEY"], os.getcwd()
    path = os.path.join(folder, "notes.txt")
    thought = {"type": "text", "text": f"The key is {secret}."}
    wire.update(session_id, "agent_thought_chunk", content=thought)
    entries = [{"content": f"Use {secret} in {folder}", "priority": "high", "status": "completed"}]
    wire.update(session_id, "plan", entries=entries)
    diff: Json = {"type": "diff", "path": path, "oldText": "a\n", "newText": f"key={secret}\n"}
    call = {"toolCallId": "leak-1", "title": f"Edit {path}", "kind": "edit"}
    wire.update(
        session_id,
        "tool_call",
        **call,
        status="completed",
        locations=[{"path": path}],
        content=[diff],
        rawInput={"file_path": path, "key": secret},
    )
    output = {"type": "content", "content": {"type": "text", "text": f"{path}: {secret}"}}
    wire.update(
        session_id,
        "tool_call",
        toolCallId="leak-2",
        title=f"Run print-key in {folder}",
        kind="execute",
        status="completed",
        rawInput={"command": f"print-key --key {secret} {path}"},
        content=[output],
    )
    for piece in (f"You said {text}. ", "My key is ", secret, f" and I work in {folder}."):
        wire.text(session_id, piece)
    return "end_turn"


@in_turns
def dies_leaking(wire: Wire, session_id: str, text: str) -> str:
    """Die in mid-turn with its secret and its folder in the last lines of stderr."""
    wire.text(session_id, f"Now {text}.")
    print(f"no such file: {os.getcwd()}/x, key {os.environ['LEAKY_API_KEY']}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(4)


def canary() -> None:
    """Say the secrets of its environment in every place where an agent can put text.

    ``error`` in a prompt ends the turn in one, ``die`` the agent.
    """
    serve(_sing, _Canary())


NAMES = ("CANARY_API_KEY", "SERVER_SECRET_TOKEN", "CANARY_AUTH_PASSWORD")
SECRETS = [os.environ.get(name, "") for name in NAMES]
ALL = " ".join(SECRETS)
MODES = {
    "currentModeId": "m",
    "availableModes": [{"id": "m", "name": f"Mode {ALL}", "description": ALL}],
}
OPTIONS = [
    {
        "id": "o",
        "name": f"Option {ALL}",
        "type": "select",
        "currentValue": "v",
        "options": [{"value": "v", "name": ALL, "description": ALL}],
    }
]


class _Canary(Wire):
    """Puts the secrets also into what it tells of itself, and refuses with them."""

    def next(self) -> Json | None:
        while (message := super().next()) is not None:
            match message.get("method"):
                case "initialize":
                    self.result(message, _offer())
                case "session/new":
                    self.result(
                        message,
                        {"sessionId": f"c-{os.getpid()}", "modes": MODES, "configOptions": OPTIONS},
                    )
                case "session/set_mode":
                    self.send({"id": message["id"], "error": _error()})
                case "session/prompt" if "error" in str(message["params"]):
                    self.send({"id": message["id"], "error": _error()})
                case "session/prompt" if "die" in str(message["params"]):
                    sys.exit(f"Dying with {ALL}")
                case _:
                    return message
        return None


def _offer() -> Json:
    return {
        "protocolVersion": 1,
        "agentInfo": {"name": "canary", "title": "Canary", "version": ALL},
        "agentCapabilities": {},
        "authMethods": [
            {
                "id": "key",
                "name": "Key",
                "description": ALL,
                "type": "env_var",
                "vars": [{"name": "CANARY_AUTH_PASSWORD", "label": ALL}],
            }
        ],
    }


def _error() -> Json:
    return {"code": -32603, "message": f"Failed with {ALL}", "data": {"details": ALL}}


def _sing(wire: Wire, session_id: str, _: str) -> str:
    print(f"Working with {ALL}", file=sys.stderr, flush=True)
    folder = os.getcwd()
    path = os.path.join(folder, f"{SECRETS[0]}.txt")
    wire.update(session_id, "session_info_update", title=f"Title {ALL}")
    wire.update(session_id, "current_mode_update", currentModeId="m")
    wire.update(
        session_id,
        "available_commands_update",
        availableCommands=[{"name": "c", "description": ALL, "input": {"hint": ALL}}],
    )
    wire.update(session_id, "agent_thought_chunk", content={"type": "text", "text": ALL})
    wire.text(session_id, f"Answer: {ALL}")
    wire.update(
        session_id,
        "plan",
        entries=[{"content": ALL, "priority": "high", "status": "completed"}],
    )
    terminal = wire.ask(
        "terminal/create",
        {
            "sessionId": session_id,
            "command": "sh",
            "args": ["-c", f"printenv CANARY_API_KEY; echo {SECRETS[1]}; pwd"],
            "cwd": folder,
        },
    ).get("result", {})
    named = {"sessionId": session_id, "terminalId": terminal.get("terminalId", "none")}
    content: list[Json] = [
        {"type": "content", "content": {"type": "text", "text": f"Output {ALL}"}},
        {"type": "diff", "path": path, "oldText": "a\n", "newText": f"{ALL}\n"},
    ]
    if terminal:
        wire.ask("terminal/wait_for_exit", named)
        content.append({"type": "terminal", "terminalId": named["terminalId"]})
    call: Json = {
        "toolCallId": "1",
        "title": f"Run {ALL}",
        "kind": "execute",
        "rawInput": {"command": f"echo {ALL}", SECRETS[2]: ALL, "file_path": path},
    }
    wire.update(session_id, "tool_call", **call, status="pending", locations=[{"path": path}])
    wire.permission(session_id, call, [{**ALLOW, "name": f"Allow {ALL}"}])
    wire.update(
        session_id,
        "tool_call_update",
        toolCallId="1",
        status="completed",
        content=content,
        rawOutput={"stdout": ALL},
    )
    written = {"sessionId": session_id, "path": path, "content": f"key={ALL}\n"}
    wire.ask("fs/write_text_file", written)
    wire.update(session_id, "notice", severity="warning", title=ALL, description=ALL)
    wire.update(session_id, "something_unknown", text=ALL)
    wire.write(f"noise {ALL}\n".encode())
    return "end_turn"
