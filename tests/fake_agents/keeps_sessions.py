#!/usr/bin/env python3
"""Remembers its sessions in a file of its folder: ``keeps_sessions.py FILE ABILITY...``.

Abilities: load, late-load (tells the most after its answer), resume, lying-resume (announced, and
not known), list, fork, close, delete, title, archive, additionalDirectories, systemPrompt.
Several sessions may run turns at once; a turn that says ``wait`` goes on until it is cancelled,
``ask`` asks, ``die`` ends the process, ``how`` tells how the session was opened. While there is a
pipe beside the file, it starts once somebody writes into that.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from _wire import Json, Wire, text_of

STORE = Path(sys.argv[1])
CAN = set(sys.argv[2:])
ARCHIVE = STORE.with_suffix(".archived")
HELD = STORE.with_suffix(".held")
KNOWN = {"list", "fork", "close", "delete", "title", "archive"}
KNOWN |= {"additionalDirectories", "systemPrompt"}


def kept() -> dict[str, list[str]]:
    return json.loads(STORE.read_text()) if STORE.exists() else {}


def keep(sessions: dict[str, list[str]]) -> None:
    STORE.write_text(json.dumps(sessions))


def archived() -> set[str]:
    return set(ARCHIVE.read_text().split()) if ARCHIVE.exists() else set()


def capabilities() -> Json:
    session: Json = {name: {} for name in sorted(CAN & KNOWN)}
    if "lying-archive" in CAN:
        session["archive"] = {}
    if CAN & {"resume", "lying-resume"}:
        session["resume"] = {}
    return {"loadSession": bool(CAN & {"load", "late-load"}), "sessionCapabilities": session}


def tell_again(wire: Wire, session_id: str, said: list[str]) -> None:
    for text in said:
        wire.update(session_id, "user_message_chunk", content={"type": "text", "text": text})
        wire.text(session_id, f"You said: {text}")


class Agent:
    def __init__(self) -> None:
        self.wire = Wire()
        self.open: set[str] = set()
        self.waiting: dict[str, Json] = {}
        self.opened: dict[str, Json] = {}

    def serve(self) -> None:
        while (message := self.wire.next()) is not None:
            self.take(message, message.get("params") or {})

    def take(self, message: Json, params: Json) -> None:
        method = str(message.get("method", "")).removeprefix("session/")
        session_id = str(params.get("sessionId", ""))
        handler = {
            "initialize": self.initialize,
            "new": self.new,
            "load": self.load,
            "resume": self.resume,
            "list": self.list,
            "fork": self.fork,
            "close": self.close,
            "delete": self.delete,
            "archive": self.archive,
            "unarchive": self.archive,
            "set_title": self.set_title,
            "prompt": self.prompt,
            "cancel": self.cancel,
        }.get(method)
        if handler is not None:
            handler(message, session_id)
        elif "id" in message and method:
            self.wire.error(message, -32601, "Method not found")

    def initialize(self, message: Json, _: str) -> None:
        if HELD.exists():
            HELD.read_text()
        info = {"name": "keeper", "title": "Keeper", "version": "1.0"}
        result = {"protocolVersion": 1, "agentCapabilities": capabilities(), "agentInfo": info}
        self.wire.result(message, {**result, "authMethods": []})

    def new(self, message: Json, _: str) -> None:
        sessions = kept()
        session_id = f"s{len(sessions) + 1}"
        keep({**sessions, session_id: []})
        self.open.add(session_id)
        self.opened[session_id] = message
        self.wire.result(message, {"sessionId": session_id})

    def load(self, message: Json, session_id: str) -> None:
        if not CAN & {"load", "late-load"} or session_id not in kept():
            self.wire.error(message, -32601, "Method not found")
            return
        self.open.add(session_id)
        self.opened[session_id] = message
        said = kept()[session_id]
        if "late-load" in CAN:
            self.wire.result(message, {})
            tell_again(self.wire, session_id, said)
        else:
            tell_again(self.wire, session_id, said)
            self.wire.send({"id": message["id"], "result": None})

    def resume(self, message: Json, session_id: str) -> None:
        if "resume" not in CAN or session_id not in kept():
            self.wire.error(message, -32601, "Method not found")
            return
        self.open.add(session_id)
        self.opened[session_id] = message
        self.wire.result(message, {})

    def list(self, message: Json, _: str) -> None:
        cwd = str(STORE.parent)
        asked = message.get("params") or {}
        names = sorted(kept()) if asked.get("cwd", cwd) == cwd else []
        if asked.get("archived") != "include":
            names = [name for name in names if name not in archived()]
        start = int(asked.get("cursor") or 0)
        page = [
            {"sessionId": n, "cwd": cwd, "title": f"Talk {n}", "archived": n in archived()}
            for n in names
        ]
        result: Json = {"sessions": page[start : start + 2]}
        if start + 2 < len(names):
            result["nextCursor"] = str(start + 2)
        self.wire.result(message, result)

    def fork(self, message: Json, session_id: str) -> None:
        sessions = kept()
        forked = f"s{len(sessions) + 1}"
        keep({**sessions, forked: list(sessions[session_id])})
        self.open.add(forked)
        self.opened[forked] = message
        tell_again(self.wire, forked, sessions[session_id])
        self.wire.result(message, {"sessionId": forked})

    def close(self, message: Json, session_id: str) -> None:
        self.open.discard(session_id)
        self.wire.result(message, {})

    def delete(self, message: Json, session_id: str) -> None:
        keep({name: said for name, said in kept().items() if name != session_id})
        self.wire.result(message, {})

    def archive(self, message: Json, session_id: str) -> None:
        if "lying-archive" in CAN:
            self.wire.error(message, -32601, "Method not found")
        elif session_id not in kept():
            self.wire.error(message, -32002, "Resource not found")
        else:
            into = message["method"] == "session/archive"
            now = archived() | {session_id} if into else archived() - {session_id}
            ARCHIVE.write_text(" ".join(sorted(now)))
            self.wire.result(message, {})

    def set_title(self, message: Json, _: str) -> None:
        match message["params"]["title"]:
            case "refuse":
                self.wire.error(message, -32602, "No such title")
            case "die":
                os._exit(3)
            case "odd":
                self.wire.send({"id": message["id"], "result": {"title": ["odd"]}})
            case title:
                self.wire.result(message, {"title": f"{title[:20]} (kept)"})

    def prompt(self, message: Json, session_id: str) -> None:
        if session_id not in self.open:
            self.wire.error(message, -32602, f"session {session_id} is not open")
            return
        text = text_of(message["params"])
        sessions = kept()
        remembered = len(sessions.get(session_id, []))
        keep({**sessions, session_id: [*sessions.get(session_id, []), text]})
        if text == "die":
            os._exit(3)
        if text == "how":
            self.wire.text(session_id, json.dumps(self.opened[session_id]))
        else:
            self.wire.text(session_id, f"After {remembered}: {text}")
        if text == "wait":
            self.waiting[session_id] = message
            return
        if text == "ask":
            self.wire.update(session_id, "tool_call", toolCallId="t", title="Edit", kind="edit")
            self.waiting[session_id] = message
            options = [
                {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"},
            ]
            call = {"toolCallId": "t", "kind": "execute", "rawInput": {"command": "ls"}}
            asked = {"sessionId": session_id, "toolCall": call, "options": options}
            self.wire.send({"id": 1, "method": "session/request_permission", "params": asked})
            return
        self.wire.result(message, {"stopReason": "end_turn"})

    def cancel(self, _: Json, session_id: str) -> None:
        waiting = self.waiting.pop(session_id, None)
        if waiting is not None:
            self.wire.result(waiting, {"stopReason": "cancelled"})


Agent().serve()
