#!/usr/bin/env python3
"""Does what its prompts say and writes down what it really sent: ``chaos.py JOURNAL_FOLDER``.

A prompt is ``KEY VERB``: ``say`` streams some chunks, ``flood`` very many, ``ask`` asks and writes
down how it was answered, ``deaf`` closes stdin in the middle, ``die`` ends the process.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import uuid
from pathlib import Path
from typing import Any

Json = dict[str, Any]

FOLDER = Path(sys.argv[1])
CHUNKS = {"say": 20, "flood": 3000, "ask": 4, "deaf": 20, "die": 6}


class Agent:
    def __init__(self) -> None:
        self.writing = threading.Lock()
        self.answers: dict[str, tuple[threading.Event, list[Json]]] = {}
        self.cancelled: set[str] = set()

    def send(self, message: Json, sent: Json | None = None) -> None:
        """Write a line, and then what was sent by it."""
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self.writing:
            while data:
                data = data[os.write(1, data) :]
            if sent is not None:
                with (FOLDER / f"{sent.pop('key')}.jsonl").open("a") as journal:
                    journal.write(json.dumps(sent) + "\n")

    def serve(self) -> None:
        buffer = b""
        while chunk := os.read(0, 65536):
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                self.take(json.loads(line))

    def take(self, message: Json) -> None:
        method = message.get("method", "")
        params = message.get("params") or {}
        if not method:
            waiting, answers = self.answers.pop(str(message.get("id")), (None, []))
            if waiting is not None:
                answers.append(message)
                waiting.set()
        elif method == "initialize":
            able: Json = {"sessionCapabilities": {"resume": {}}}
            result = {"protocolVersion": 1, "agentCapabilities": able, "authMethods": []}
            self.send({"id": message["id"], "result": result})
        elif method == "session/new":
            self.send({"id": message["id"], "result": {"sessionId": uuid.uuid4().hex}})
        elif method == "session/resume":
            self.send({"id": message["id"], "result": {}})
        elif method == "session/prompt":
            threading.Thread(target=self.turn, args=(message, params), daemon=True).start()
        elif method == "session/cancel":
            self.cancelled.add(params["sessionId"])
        elif "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            self.send({"id": message["id"], "error": error})

    def turn(self, message: Json, params: Json) -> None:
        session_id = params["sessionId"]
        self.cancelled.discard(session_id)
        key, verb = params["prompt"][0]["text"].split()
        for number in range(CHUNKS[verb]):
            if session_id in self.cancelled:
                break
            if number == 3:
                self.misbehave(verb, key, session_id)
            content = {"type": "text", "text": f"{number} "}
            update = {"sessionUpdate": "agent_message_chunk", "content": content}
            told = {"sessionId": session_id, "update": update}
            sent = {"key": key, "text": f"{number} "}
            self.send({"method": "session/update", "params": told}, sent)
        reason = "cancelled" if session_id in self.cancelled else "end_turn"
        self.send({"id": message["id"], "result": {"stopReason": reason}})

    def misbehave(self, verb: str, key: str, session_id: str) -> None:
        if verb == "die":
            os._exit(9)
        if verb == "deaf":
            os.close(0)
        if verb != "ask":
            return
        call = {"toolCallId": key, "title": key, "kind": "edit"}
        options = [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ]
        asked = {"sessionId": session_id, "toolCall": call, "options": options}
        waiting, answers = threading.Event(), list[Json]()
        self.answers[key] = waiting, answers
        self.send({"id": key, "method": "session/request_permission", "params": asked})
        waiting.wait()
        outcome = answers[0].get("result", {}).get("outcome", {})
        with (FOLDER / f"{key}.answer").open("w") as journal:
            journal.write(str(outcome.get("optionId", "none")))


try:
    Agent().serve()
except OSError:
    threading.Event().wait()  # deaf, and alive
