#!/usr/bin/env python3
"""Answers with ids of other types, and asks with ids that repeat and are no numbers."""

from __future__ import annotations

from _wire import Json, Wire, initialize_result, text_of

OPTIONS = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
IDS = ["0", 0, "a-b-c", 1.5, [1, 2], {"x": 1}, None, 0]

wire = Wire()
while (message := wire.next()) is not None:
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        wire.result({"id": str(message["id"])}, initialize_result("weird_ids"))
    elif method == "session/new":
        wire.send({"id": [message["id"]], "result": {"sessionId": "wrong"}})
        wire.send({"id": 999_999, "result": {"sessionId": "wrong"}})
        wire.send({"id": float(message["id"]), "result": {"sessionId": "weird-1"}})
    elif method == "session/prompt" and text_of(params) == "error as text":
        wire.send({"id": message["id"], "error": "oops"})
    elif method == "session/prompt":
        session_id = params["sessionId"]
        call = {"toolCallId": "call-1", "title": "Something"}
        request: Json = {"sessionId": session_id, "toolCall": call, "options": OPTIONS}
        answers = [wire.ask("session/request_permission", request, i) for i in IDS if i is not None]
        same = [answer["id"] for answer in answers] == [i for i in IDS if i is not None]
        wire.text(session_id, "all ids came back" if same else f"lost: {answers}")
        wire.result({"id": f"{message['id']}"}, {"stopReason": "because"})
