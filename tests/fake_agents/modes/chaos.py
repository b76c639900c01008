"""An agent of which one knows what it really sent, whatever ends it."""

from __future__ import annotations

import json
import os
import threading
import uuid
from pathlib import Path

from _wire import NO, YES, Json, Wire

CHUNKS = {"say": 20, "flood": 3000, "ask": 4, "deaf": 20, "die": 6}


def chaos(folder: str) -> None:
    """Do what the prompts say, many at once, and write down in ``folder`` what was really sent.

    A prompt is ``KEY VERB``: ``say`` streams some chunks, ``flood`` very many, ``ask`` asks and
    writes down how it was answered, ``deaf`` closes stdin in the middle, ``die`` ends the process.
    """
    try:
        _Agent(Path(folder)).serve()
    except OSError:
        threading.Event().wait()  # deaf, and alive


class _Agent(Wire):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.writing = threading.Lock()
        self.answers: dict[str, tuple[threading.Event, list[Json]]] = {}
        self.stopped: set[str] = set()

    def send(self, message: Json, sent: Json | None = None) -> None:
        """Write a line, and then what was sent by it."""
        with self.writing:
            super().send(message)
            if sent is not None:
                with (self.folder / f"{sent.pop('key')}.jsonl").open("a") as journal:
                    journal.write(json.dumps(sent) + "\n")

    def serve(self) -> None:
        while (message := self.next()) is not None:
            self.take(message)

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
            self.result(message, result)
        elif method == "session/new":
            self.result(message, {"sessionId": uuid.uuid4().hex})
        elif method == "session/resume":
            self.result(message, {})
        elif method == "session/prompt":
            threading.Thread(target=self.turn, args=(message, params), daemon=True).start()
        elif method == "session/cancel":
            self.stopped.add(params["sessionId"])
        elif "id" in message:
            self.error(message, -32601, "Method not found")

    def turn(self, message: Json, params: Json) -> None:
        session_id = params["sessionId"]
        self.stopped.discard(session_id)
        key, verb = params["prompt"][0]["text"].split()
        for number in range(CHUNKS[verb]):
            if session_id in self.stopped:
                break
            if number == 3:
                self.misbehave(verb, key, session_id)
            content = {"type": "text", "text": f"{number} "}
            update = {"sessionUpdate": "agent_message_chunk", "content": content}
            told = {"sessionId": session_id, "update": update}
            sent = {"key": key, "text": f"{number} "}
            self.send({"method": "session/update", "params": told}, sent)
        reason = "cancelled" if session_id in self.stopped else "end_turn"
        self.result(message, {"stopReason": reason})

    def misbehave(self, verb: str, key: str, session_id: str) -> None:
        if verb == "die":
            os._exit(9)
        if verb == "deaf":
            os.close(0)
        if verb != "ask":
            return
        call = {"toolCallId": key, "title": key, "kind": "edit"}
        waiting, answers = threading.Event(), list[Json]()
        self.answers[key] = waiting, answers
        asked = {"sessionId": session_id, "toolCall": call, "options": [YES, NO]}
        self.request(key, "session/request_permission", asked)
        waiting.wait()
        outcome = answers[0].get("result", {}).get("outcome", {})
        with (self.folder / f"{key}.answer").open("w") as journal:
            journal.write(str(outcome.get("optionId", "none")))
