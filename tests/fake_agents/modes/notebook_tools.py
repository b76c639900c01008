"""Agents that use the notebook tools, and those that work in a notebook."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

from _wire import NO, YES, Json, Wire, in_turns, keep, serve


class NotebookTools:
    """An MCP client on stdio."""

    def __init__(self, server: Json) -> None:
        env = {pair["name"]: pair["value"] for pair in server["env"]}
        self._process = subprocess.Popen(
            [server["command"], *server["args"]],
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._ids = 0
        client = {"name": "notebook_user", "version": "1"}
        self.hello = self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        )
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: Json) -> Json:
        return self.ask_together(method, [params])[0]

    def ask_together(self, method: str, each: list[Json]) -> list[Json]:
        """Send all of it before the first answer is read."""
        ids = range(self._ids + 1, self._ids + 1 + len(each))
        self._ids += len(each)
        for number, params in zip(ids, each, strict=True):
            self._send({"id": number, "method": method, "params": params})
        answers: dict[int, Json] = {}
        assert self._process.stdout is not None
        while len(answers) < len(each) and (line := self._process.stdout.readline()):
            keep(line)
            message = json.loads(line)
            if message.get("id") in ids:
                answers[message["id"]] = message.get("result") or {"error": message.get("error")}
        return [answers.get(number, {"error": "closed"}) for number in ids]

    def _send(self, message: Json) -> None:
        assert self._process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        try:
            self._process.stdin.write(data.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass


def _told(result: Json) -> Json:
    content: list[Any] = result.get("content") or []
    return {
        "failed": result.get("isError", "error" in result),
        "text": "\n".join(part["text"] for part in content if part["type"] == "text"),
        "images": [part["mimeType"] for part in content if part["type"] == "image"],
    }


# -- what the prompt says ------------------------------------------------------

_tools: dict[str, NotebookTools] = {}


@in_turns
def notebook_user(wire: Wire, session_id: str, text: str) -> str:
    """Use the notebook tools that it is offered. The prompt is a JSON list of calls.

    Each is ``{"tool", "args"}``, and may have ``ask`` (the agent asks its user first), ``hide`` (it
    tells nothing of the call), or ``shown`` (arguments that it tells in place of the true ones).
    ``{"works_at": [NAME, LINE]}`` tells that it works in a file, and ``{"waits": true}`` asks the
    user something. ``{"read": NAME}`` reads a file of the session's folder by its client.
    ``{"rewrite": [NAME, OLD, NEW]}`` reads one and writes it back with the replaced text.
    ``{"together": [CALL, …]}`` sends several calls at once, and tells nothing of them.
    What the tools answer is said as text, one JSON line per call; images are counted.
    """
    opened = wire.opened[session_id]
    if not opened["mcpServers"]:
        wire.text(session_id, "no tools\n")
        return "end_turn"
    if session_id not in _tools:
        _tools[session_id] = NotebookTools(opened["mcpServers"][-1])
    if text == "tools":
        listed = _tools[session_id].ask("tools/list", {})
        wire.text(session_id, json.dumps([tool["name"] for tool in listed["tools"]]) + "\n")
        return "end_turn"
    # What goes along with a prompt may come as text after it.
    steps, _ = json.JSONDecoder().raw_decode(text)
    for number, step in enumerate(steps):
        if "works_at" in step:
            name, line = step["works_at"]
            _works_at(wire, session_id, number, os.path.join(opened["cwd"], name), line)
            continue
        if "waits" in step:
            call = {"toolCallId": f"waits-{number}", "title": "Go on"}
            wire.permission(session_id, call, [YES, NO])
            continue
        if "together" in step:
            sent = [{"name": each["tool"], "arguments": each["args"]} for each in step["together"]]
            for result in _tools[session_id].ask_together("tools/call", sent):
                wire.text(session_id, json.dumps(_told(result)) + "\n")
            continue
        told = _done(wire, session_id, number, step, opened["cwd"])
        wire.text(session_id, json.dumps(told) + "\n")
    return "end_turn"


def _done(wire: Wire, session_id: str, number: int, step: Json, cwd: str) -> Json:
    if "rewrite" in step:
        name, *texts = step["rewrite"]
        return _rewrite(wire, session_id, os.path.join(cwd, name), *texts)
    if "read" in step:
        return _read(wire, session_id, os.path.join(cwd, step["read"]))
    return _call(wire, session_id, number, step)


def _call(wire: Wire, session_id: str, number: int, step: Json) -> Json:
    call_id = f"call-{number}"
    shown = step.get("shown", step["args"])
    title = f"notebook_{step['tool']}"
    if not step.get("hide"):
        wire.update(session_id, "tool_call", toolCallId=call_id, title=title, rawInput=shown)
    if step.get("ask"):
        call = {"toolCallId": call_id, "title": title, "rawInput": shown}
        if wire.permission(session_id, call, [YES, NO]).get("optionId") != "yes":
            return {"failed": True, "text": "not asked", "images": []}
    result = _tools[session_id].ask("tools/call", {"name": step["tool"], "arguments": step["args"]})
    if not step.get("hide"):
        done = "failed" if result.get("isError") else "completed"
        wire.update(session_id, "tool_call_update", toolCallId=call_id, status=done)
    return _told(result)


def _works_at(wire: Wire, session_id: str, number: int, path: str, line: int) -> None:
    shown = {"title": f"Read {path}", "kind": "read", "status": "completed"}
    locations = [{"path": path, "line": line}]
    wire.update(session_id, "tool_call", toolCallId=f"call-{number}", locations=locations, **shown)


def _rewrite(wire: Wire, session_id: str, path: str, old: str, new: str) -> Json:
    where = {"sessionId": session_id, "path": path}
    text = wire.ask("fs/read_text_file", where)["result"]["content"]
    answer = wire.ask("fs/write_text_file", {**where, "content": text.replace(old, new)})
    failed = "error" in answer
    return {"failed": failed, "text": json.dumps(answer.get("error", text)), "images": []}


def _read(wire: Wire, session_id: str, path: str) -> Json:
    answer = wire.ask("fs/read_text_file", {"sessionId": session_id, "path": path})
    return {"failed": "error" in answer, "text": (answer.get("result") or {}).get("content", "")}


@in_turns
def answers(wire: Wire, session_id: str, text: str, solutions: str, how: str = "right") -> str:
    """Answer questions about CSV files by code that it runs in the kernel.

    The prompt has ``Question ID.`` and ``File PATH.``. ``solutions`` is a file of TOML: the code by
    the question's id. With ``wrong`` as second word it reads only half of each table.
    """
    import tomllib  # takes a third of the start of the other agents

    found = re.search(r"Question (\d+)\..*File (.+?\.csv)\.", text, re.DOTALL)
    assert found is not None
    with open(solutions, "rb") as file:
        solution = tomllib.load(file)[found[1]]
    half = "[::2]" if how == "wrong" else ""
    code = CODE.format(path=found[2], half=half, solution=solution)
    call = {"toolCallId": "call-1", "title": "notebook_run_code", "rawInput": {"code": code}}
    wire.update(session_id, "tool_call", **call)
    tools = NotebookTools(wire.opened[session_id]["mcpServers"][-1])
    result = tools.ask("tools/call", {"name": "run_code", "arguments": {"code": code}})
    status = "failed" if result.get("isError") else "completed"
    wire.update(session_id, "tool_call_update", toolCallId="call-1", status=status)
    wire.text(session_id, _told(result)["text"])
    return "end_turn"


CODE = """\
import csv
from statistics import *

with open({path!r}, encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file)){half}


def answer(**parts):
    print(" ".join(f"@{{name}}[{{value}}]" for name, value in parts.items()))

{solution}"""


# -- cells ---------------------------------------------------------------------


@in_turns
def suggests(wire: Wire, session_id: str, text: str) -> str:
    """Answer each prompt with a cell, and count the prompts in ``prompts.ndjson`` of its folder.

    The name in the last line ``do = "…"`` above the place says what else it does: ``ask`` asks for
    permission to run a command, ``hold`` waits until somebody writes into the pipe ``go``,
    ``forever`` works until it is stopped, ``nothing`` answers without code, ``fail`` fails.
    """
    opened = wire.opened[session_id]
    folder = opened["cwd"]
    above = text.partition("Below that place:")[0]
    found = re.findall(r'^do = "(\w+)"$', above, re.M)
    task = found[-1] if found else ""
    note: Json = {"prompt": text, "servers": len(opened["mcpServers"])}
    if task == "ask":
        call: Json = {"toolCallId": "run", "title": "touch acted", "kind": "execute"}
        call["rawInput"] = {"command": "touch acted"}
        note["outcome"] = wire.permission(session_id, call, [YES, NO])
    with open(os.path.join(folder, "prompts.ndjson"), "a") as file:
        file.write(json.dumps(note) + "\n")
    if task == "fail":
        sys.exit(3)
    if task == "nothing":
        wire.text(session_id, "There is nothing left to do.")
        return "end_turn"
    if task == "hold":
        with open(os.path.join(folder, "go")) as pipe:
            pipe.read()
    while task == "forever" and not wire.cancelled:
        wire.rest(60)
    wire.text(session_id, "Here it is:\n\n```python\ntotal = sum(prices)\nprint(total)\n```\n")
    return "end_turn"


# -- over ACP ------------------------------------------------------------------

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def asks_mcp() -> None:
    """Use the MCP servers that it reaches over ACP. The prompt is a JSON list of requests.

    Each is ``{"tool", "args"}``, or ``{"method"}`` with ``params``, and may have ``bare`` (no
    version of MCP is told), ``server`` (another one is named), ``id`` (of the inner request),
    ``notify`` (no answer is wanted), ``progress`` (the next message is said, too), ``twice`` (it is
    sent again meanwhile) and ``cancel`` (it is taken back; where that names a pipe, once somebody
    writes into it). What comes back is said as text, one JSON line per request. ``servers`` says
    what the agent was offered.
    """
    serve(_ask_mcp, agentCapabilities={"loadSession": False, "mcpCapabilities": {"acp": True}})


def _params(step: Json, server_id: str, number: int) -> Json:
    params: Json = dict(step.get("params") or {})
    request_id = step.get("id", f"inner-{number}")
    method = step.get("method", "tools/call")
    if "tool" in step:
        params = {"name": step["tool"], "arguments": step["args"]}
    if not step.get("bare"):
        params["_meta"] = {**_META, "progressToken": request_id} if "progress" in step else _META
    server_id = step.get("server", server_id)
    return {"serverId": server_id, "requestId": request_id, "method": method, "params": params}


def _inner(answer: Json) -> Any:
    result = (answer.get("result") or {}).get("result")
    if not isinstance(result, dict) or "content" not in result:
        return answer.get("result", {"refused": answer.get("error")})
    return _told(result)


def _ask_mcp(wire: Wire, session_id: str, text: str) -> str:
    servers = wire.opened[session_id]["mcpServers"]
    if text == "servers":
        wire.text(session_id, json.dumps(servers))
        return "end_turn"
    server_id = next((each["serverId"] for each in servers if each.get("type") == "acp"), "")
    for number, step in enumerate(json.loads(text)):
        params = _params(step, server_id, number)
        if step.get("notify"):
            wire.send({"method": "mcp/message", "params": params})
            continue
        outer = f"mcp-{number}"
        wire.request(outer, "mcp/message", params)
        if step.get("twice"):
            again = wire.ask("mcp/message", params, f"{outer}-again")
            wire.text(session_id, json.dumps(_inner(again)) + "\n")
        if step.get("progress"):
            wire.text(session_id, json.dumps(wire.next()) + "\n")
        if step.get("cancel"):
            if step["cancel"] is not True:
                with open(step["cancel"]) as pipe:
                    pipe.read()
            wire.send({"method": "$/cancel_request", "params": {"requestId": outer}})
        wire.text(session_id, json.dumps(_inner(wire.response(outer))) + "\n")
    return "end_turn"
