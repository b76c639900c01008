"""Agents that ask for permission."""

from __future__ import annotations

import json
import os

from _wire import ALLOW, NO, REJECT, YES, Json, Wire, in_turns

ALWAYS: Json = {"optionId": "always", "name": "Always", "kind": "allow_always"}
FOR_THIS_SESSION: Json = {**ALWAYS, "name": "Allow for this session"}
ASK = "session/request_permission"


@in_turns
def permission(wire: Wire, session_id: str, text: str, first: str = "") -> str:
    """Propose an edit of ``edited.txt`` in its folder and write it only if allowed.

    With ``--always-first`` the first option is that of allowing always, as some agents have it.
    """
    options = [ALLOW, FOR_THIS_SESSION, REJECT]
    if first == "--always-first":
        options = [FOR_THIS_SESSION, ALLOW, REJECT]
    path = os.path.join(os.getcwd(), "edited.txt")
    diff = {"type": "diff", "path": path, "oldText": None, "newText": f"{text}\n"}
    call = {"toolCallId": "edit-1", "title": "Edit edited.txt", "kind": "edit"}
    details = {"locations": [{"path": path}], "content": [diff], "rawInput": {"file_path": path}}
    wire.update(session_id, "tool_call", **call, **details, status="pending")
    outcome = wire.permission(session_id, {**call, **details}, options)
    kinds = {option["optionId"]: option["kind"] for option in options}
    if outcome.get("outcome") == "cancelled":
        wire.cancelled = True
        return "cancelled"
    if not kinds.get(outcome.get("optionId"), "").startswith("allow_"):
        wire.update(session_id, "tool_call_update", toolCallId="edit-1", status="failed")
        wire.text(session_id, "I left the file alone.")
        return "end_turn"
    wire.update(session_id, "tool_call_update", toolCallId="edit-1", status="in_progress")
    content = {"sessionId": session_id, "path": path, "content": f"{text}\n"}
    written = wire.ask("fs/write_text_file", content)
    status = "failed" if "error" in written else "completed"
    wire.update(session_id, "tool_call_update", toolCallId="edit-1", status=status)
    wire.text(session_id, "I wrote the file." if status == "completed" else str(written["error"]))
    return "end_turn"


@in_turns
def two_permissions(wire: Wire, session_id: str, _: str) -> str:
    """Ask for two at once, the second without having announced its tool call."""
    first = {"toolCallId": "call-1", "title": "Run ls", "kind": "execute"}
    second = {"toolCallId": "call-2", "title": "Run pwd", "kind": "execute"}
    wire.update(session_id, "tool_call", **first, rawInput={"command": "ls"}, status="pending")
    for request_id, call in ((11, first), (12, second)):
        params = {"sessionId": session_id, "toolCall": call, "options": [ALLOW, REJECT]}
        wire.request(request_id, ASK, params)
    words = []
    for request_id, call in ((11, first), (12, second)):
        outcome = wire.response(request_id).get("result", {}).get("outcome", {})
        chosen = outcome.get("optionId", outcome.get("outcome"))
        status = "completed" if chosen == "yes" else "failed"
        wire.update(session_id, "tool_call_update", toolCallId=call["toolCallId"], status=status)
        words.append(f"{call['toolCallId']} {chosen}")
    wire.text(session_id, ", ".join(words))
    return "end_turn"


@in_turns
def asks(wire: Wire, session_id: str, text: str) -> str:
    """Ask for what the prompt says, as JSON, and tell each answer; repeat other prompts.

    ``announce`` are tool calls, ``ask`` the requests' tool calls, ``options`` what they offer, and
    with ``withdraw`` it takes its requests back at once.
    """
    if not text.startswith("{"):
        wire.text(session_id, f"Heard: {text}")
        return "end_turn"
    order: Json = json.loads(text)
    for call in order.get("announce", []):
        wire.update(session_id, "tool_call", **{"status": "pending", **call})
    asked = list(enumerate(order["ask"], 100))
    for request_id, call in asked:
        options = order.get("options", [ALLOW, ALWAYS, REJECT])
        params = {"sessionId": session_id, "toolCall": call, "options": options}
        wire.request(request_id, ASK, params)
        if order.get("withdraw"):
            wire.send({"method": "$/cancel_request", "params": {"requestId": request_id}})
    answers = []
    for request_id, _ in asked:
        answer = wire.response(request_id)
        outcome = answer.get("result", {}).get("outcome", {})
        code = answer.get("error", {}).get("code")
        answers.append(str(code or outcome.get("optionId") or outcome.get("outcome")))
    if not wire.cancelled:
        wire.text(session_id, ", ".join(answers))
    return "end_turn"


@in_turns
def reads_log(wire: Wire, session_id: str, _: str, folder: str, how: str = "") -> str:
    """Ask, and say whether the answer stood in the log when it came.

    ``folder`` is that of the sessions; with ``withdraws`` it takes its question back.
    """
    call = {"toolCallId": "t", "title": "Edit a.txt", "kind": "edit", "locations": [{"path": "a"}]}
    wire.request(7, ASK, {"sessionId": session_id, "toolCall": call, "options": [YES, NO]})
    if how == "withdraws":
        wire.send({"method": "$/cancel_request", "params": {"requestId": 7}})
    wire.response(7)
    logged = False
    for session in os.scandir(folder):
        with open(f"{session.path}/traffic.ndjson") as log:
            logged = logged or "permission_settled" in log.read()
    wire.text(session_id, "logged" if logged else "not logged")
    return "end_turn"
