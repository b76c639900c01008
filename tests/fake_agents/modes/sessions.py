"""Agents that remember what was said."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from _wire import NO, YES, Json, Wire, initialize_result, text_of

KNOWN = {"list", "fork", "close", "delete", "title", "archive"}
KNOWN |= {"additionalDirectories", "systemPrompt"}


def keeps_sessions(store: str, *abilities: str) -> None:
    """Remember the sessions in the file ``store``.

    Abilities: load, late-load (tells the most after its answer), resume, lying-resume (announced,
    and not known), list, fork, close, delete, title, archive, additionalDirectories, systemPrompt.
    Several sessions may run turns at once; a turn that says ``wait`` goes on until it is cancelled,
    ``ask`` asks, ``die`` ends the process, ``how`` tells how the session was opened. While there is
    a pipe beside the file, it starts once somebody writes into that.
    """
    _Keeper(Path(store), set(abilities)).serve()


class _Keeper:
    def __init__(self, store: Path, can: set[str]) -> None:
        self.wire = Wire()
        self.store = store
        self.can = can
        self.archive_file = store.with_suffix(".archived")
        self.open: set[str] = set()
        self.waiting: dict[str, Json] = {}
        self.opened: dict[str, Json] = {}

    def kept(self) -> dict[str, list[str]]:
        return json.loads(self.store.read_text()) if self.store.exists() else {}

    def keep(self, sessions: dict[str, list[str]]) -> None:
        self.store.write_text(json.dumps(sessions))

    def archived(self) -> set[str]:
        return set(self.archive_file.read_text().split()) if self.archive_file.exists() else set()

    def capabilities(self) -> Json:
        session: Json = {name: {} for name in sorted(self.can & KNOWN)}
        if "lying-archive" in self.can:
            session["archive"] = {}
        if self.can & {"resume", "lying-resume"}:
            session["resume"] = {}
        loads = bool(self.can & {"load", "late-load"})
        return {"loadSession": loads, "sessionCapabilities": session}

    def tell_again(self, session_id: str, said: list[str]) -> None:
        for text in said:
            content = {"type": "text", "text": text}
            self.wire.update(session_id, "user_message_chunk", content=content)
            self.wire.text(session_id, f"You said: {text}")

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
            "list": self.list_sessions,
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
        held = self.store.with_suffix(".held")
        if held.exists():
            held.read_text()
        info = {"name": "keeper", "title": "Keeper", "version": "1.0"}
        result = {"protocolVersion": 1, "agentCapabilities": self.capabilities(), "agentInfo": info}
        self.wire.result(message, {**result, "authMethods": []})

    def new(self, message: Json, _: str) -> None:
        sessions = self.kept()
        session_id = f"s{len(sessions) + 1}"
        self.keep({**sessions, session_id: []})
        self.open.add(session_id)
        self.opened[session_id] = message
        self.wire.result(message, {"sessionId": session_id})

    def load(self, message: Json, session_id: str) -> None:
        if not self.can & {"load", "late-load"} or session_id not in self.kept():
            self.wire.error(message, -32601, "Method not found")
            return
        self.open.add(session_id)
        self.opened[session_id] = message
        said = self.kept()[session_id]
        if "late-load" in self.can:
            self.wire.result(message, {})
            self.tell_again(session_id, said)
        else:
            self.tell_again(session_id, said)
            self.wire.send({"id": message["id"], "result": None})

    def resume(self, message: Json, session_id: str) -> None:
        if "resume" not in self.can or session_id not in self.kept():
            self.wire.error(message, -32601, "Method not found")
            return
        self.open.add(session_id)
        self.opened[session_id] = message
        self.wire.result(message, {})

    def list_sessions(self, message: Json, _: str) -> None:
        # The store is in the folder that it works in, or in one beside it.
        cwd = str(self.store.parent).removesuffix("-agent")
        asked = message.get("params") or {}
        names = sorted(self.kept()) if asked.get("cwd", cwd) == cwd else []
        if asked.get("archived") != "include":
            names = [name for name in names if name not in self.archived()]
        start = int(asked.get("cursor") or 0)
        page = [
            {"sessionId": n, "cwd": cwd, "title": f"Talk {n}", "archived": n in self.archived()}
            for n in names
        ]
        result: Json = {"sessions": page[start : start + 2]}
        if start + 2 < len(names):
            result["nextCursor"] = str(start + 2)
        self.wire.result(message, result)

    def fork(self, message: Json, session_id: str) -> None:
        sessions = self.kept()
        forked = f"s{len(sessions) + 1}"
        self.keep({**sessions, forked: list(sessions[session_id])})
        self.open.add(forked)
        self.opened[forked] = message
        self.tell_again(forked, sessions[session_id])
        self.wire.result(message, {"sessionId": forked})

    def close(self, message: Json, session_id: str) -> None:
        self.open.discard(session_id)
        self.wire.result(message, {})

    def delete(self, message: Json, session_id: str) -> None:
        self.keep({name: said for name, said in self.kept().items() if name != session_id})
        self.wire.result(message, {})

    def archive(self, message: Json, session_id: str) -> None:
        if "lying-archive" in self.can:
            self.wire.error(message, -32601, "Method not found")
        elif session_id not in self.kept():
            self.wire.error(message, -32002, "Resource not found")
        else:
            into = message["method"] == "session/archive"
            now = self.archived() | {session_id} if into else self.archived() - {session_id}
            self.archive_file.write_text(" ".join(sorted(now)))
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
        sessions = self.kept()
        remembered = len(sessions.get(session_id, []))
        self.keep({**sessions, session_id: [*sessions.get(session_id, []), text]})
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
            call = {"toolCallId": "t", "kind": "execute", "rawInput": {"command": "ls"}}
            asked = {"sessionId": session_id, "toolCall": call, "options": [YES, NO]}
            self.wire.request(1, "session/request_permission", asked)
            return
        self.wire.result(message, {"stopReason": "end_turn"})

    def cancel(self, _: Json, session_id: str) -> None:
        waiting = self.waiting.pop(session_id, None)
        if waiting is not None:
            self.wire.result(waiting, {"stopReason": "cancelled"})


def keeps_turns(store: str) -> None:
    """Keep all that it says in the file ``store``, before it says it.

    ``count N`` says N words, with a tool call between them; ``ask N`` asks for permission first;
    ``steps M N`` says N words M times, and waits for the file ``STORE.NUMBER`` before each but the
    first. Its ``session/load`` tells each turn's words in one piece, as most agents do.
    """
    agent = _Teller(Path(store))
    wire = agent.wire
    while (message := wire.next()) is not None:
        params = message.get("params") or {}
        match message.get("method"):
            case "initialize":
                result = initialize_result("keeper")
                wire.result(message, {**result, "agentCapabilities": {"loadSession": True}})
            case "session/new":
                wire.result(message, {"sessionId": "kept"})
            case "session/load":
                agent.tell_again(params["sessionId"])
                wire.result(message, {})
            case "session/prompt":
                agent.prompt(params["sessionId"], text_of(params))
                wire.result(message, {"stopReason": "end_turn"})
            case method if method and "id" in message:
                wire.error(message, -32601, "Method not found")
            case _:
                pass


class _Teller:
    def __init__(self, store: Path) -> None:
        self.wire = Wire()
        self.store = store

    def keep(self, kind: str, text: str) -> None:
        with self.store.open("a") as file:
            file.write(json.dumps([kind, text]) + "\n")

    def say(self, session_id: str, text: str) -> None:
        self.keep("agent_message_chunk", text)
        self.wire.text(session_id, text)

    def tell_call(self, session_id: str, name: str) -> None:
        fields = {"title": name, "kind": "edit", "status": "completed"}
        self.wire.update(session_id, "tool_call", toolCallId=name, **fields)

    def tell_again(self, session_id: str) -> None:
        parts: list[tuple[str, str]] = []
        for line in self.store.read_text().splitlines() if self.store.exists() else ():
            kind, text = json.loads(line)
            if parts and parts[-1][0] == kind != "tool_call":
                text = parts.pop()[1] + text
            parts.append((kind, text))
        for kind, text in parts:
            if kind == "tool_call":
                self.tell_call(session_id, text)
            else:
                self.wire.update(session_id, kind, content={"type": "text", "text": text})

    def prompt(self, session_id: str, text: str) -> None:
        self.keep("user_message_chunk", text)
        if text.startswith("ask"):
            call = {"toolCallId": f"asked-{os.getpid()}", "kind": "execute", "title": "Run ls"}
            self.wire.permission(session_id, call, [YES])
        many = int(text.split()[-1])
        steps = int(text.split()[1]) if text.startswith("steps") else 1
        for number in range(steps * many):
            step, first = divmod(number, many)
            sign = self.store.with_name(f"{self.store.name}.{step}")
            while step and not first and not sign.exists():
                time.sleep(0.01)
            if number == 10:
                self.keep("tool_call", f"{text} edit")
                self.tell_call(session_id, f"{text} edit")
            self.say(session_id, f"{number} ")
