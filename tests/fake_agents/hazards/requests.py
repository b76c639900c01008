"""Requests of an agent that are not as the protocol has them."""

from __future__ import annotations

import json
import os
from typing import Any

from _wire import ALLOW, REJECT, Json, Prompt, Wire, initialize_result, own_name

from hazards.mode import Mode

__all__ = ["MODES"]

CALL: Json = {
    "toolCallId": "a",
    "title": "Run make",
    "kind": "execute",
    "rawInput": {"command": "make"},
}


def said(answer: Json) -> str:
    """Return an answer in a word or two."""
    if "error" in answer:
        return f"error {answer['error'].get('code')}"
    result: Json = answer.get("result") or {}
    outcome: Json = result.get("outcome", result)
    return str(outcome.get("optionId", outcome.get("outcome", json.dumps(result))))


def asking(
    call: Any, options: Any, request_id: Any = None, final: Json | None = None, **more: Any
) -> Prompt:
    """Ask, do nothing else with the call (or its end), and say what was answered."""

    def prompt(wire: Wire, session_id: str, _: str) -> str:
        params = {"sessionId": session_id, "toolCall": call, "options": options, **more}
        answer = wire.ask("session/request_permission", params, request_id)
        if final is not None:
            wire.update(session_id, "tool_call_update", **final)
        wire.text(session_id, f"Answer: {said(answer)}.")
        return "end_turn"

    return prompt


def same_id_twice(wire: Wire, session_id: str, _: str) -> str:
    """Ask two things at once with one id, which is also that of the client's own request."""
    for name in ("first", "second"):
        call = {**CALL, "toolCallId": name, "title": name}
        params = {"sessionId": session_id, "toolCall": call, "options": [ALLOW, REJECT]}
        request = {"id": wire.prompt_id, "method": "session/request_permission", "params": params}
        wire.send(request)
    answers = [wire.response(wire.prompt_id) for _ in range(2)]
    wire.text(session_id, f"Answers: {', '.join(sorted(map(said, answers)))}.")
    return "end_turn"


def files_outside(wire: Wire, session_id: str, _: str) -> str:
    """Look for a file in every folder above, many times, as one agent does at each start."""
    words = set()
    folder = wire.opened[session_id]["cwd"]
    for _number in range(68):
        folder = os.path.dirname(folder)
        path = os.path.join(folder, "AGENTS.md")
        params = {"sessionId": session_id, "path": path}
        answer = wire.ask("fs/read_text_file", params)
        words.add(said(answer))
    wire.text(session_id, f"Answers: {', '.join(sorted(words))}.")
    return "end_turn"


def of_session(session_id: str) -> Prompt:
    def prompt(wire: Wire, _: str, __: str) -> str:
        params = {"sessionId": session_id, "toolCall": CALL, "options": [ALLOW, REJECT]}
        answers = [wire.ask("session/request_permission", params)]
        file = {"sessionId": session_id, "path": "/etc/hostname"}
        answers.append(wire.ask("fs/read_text_file", file))
        wire.text(_, f"Answers: {', '.join(map(said, answers))}.")
        return "end_turn"

    return prompt


def other_session_update(wire: Wire, session_id: str, _: str) -> str:
    wire.text("of-somebody-else", "Not for you. ")
    wire.update("of-somebody-else", "session_info_update", title="stolen")
    wire.text(session_id, "For you.")
    return "end_turn"


def unknown_requests(*methods: str) -> Prompt:
    def prompt(wire: Wire, session_id: str, _: str) -> str:
        answers = [wire.ask(method, {"question": "Blue?"}) for method in methods]
        for method in methods:
            wire.send({"method": f"{method}d", "params": {}})
            wire.send({"method": f"{method}s"})
        wire.text(session_id, f"Answers: {', '.join(map(said, answers))}.")
        return "end_turn"

    return prompt


def bad_params(wire: Wire, session_id: str, _: str) -> str:
    answers = [
        wire.ask(method, params)
        for method in ("fs/read_text_file", "fs/write_text_file", "session/request_permission")
        for params in ({}, {"sessionId": session_id, "path": ["x"], "content": 5})
        if method != "session/request_permission" or not params
    ]
    wire.text(session_id, f"{len(answers)} answers.")
    return "end_turn"


def withdrawn(wire: Wire, session_id: str, _: str) -> str:
    """Ask, and take the question back."""
    params = {"sessionId": session_id, "toolCall": CALL, "options": [ALLOW, REJECT]}
    wire.send({"id": "q-1", "method": "session/request_permission", "params": params})
    wire.send({"method": "$/cancel_request", "params": {"requestId": "q-1"}})
    wire.text(session_id, f"Answer: {said(wire.response('q-1'))}.")
    return "end_turn"


def ends_while_asking(wire: Wire, session_id: str, _: str) -> str:
    params = {"sessionId": session_id, "toolCall": CALL, "options": [ALLOW, REJECT]}
    wire.send({"id": 1, "method": "session/request_permission", "params": params})
    return "end_turn"


def huge_ids(wire: Wire, session_id: str, _: str) -> str:
    ids = [2**63, 10**290, "x" * 100_000, -1]
    path = {"sessionId": session_id, "path": "/nowhere"}
    same = [wire.ask("fs/read_text_file", path, i)["id"] == i for i in ids]
    wire.text(session_id, "All ids came back." if all(same) else f"{same}")
    return "end_turn"


# -- ids of other types --------------------------------------------------------

IDS = ["0", 0, "a-b-c", 1.5, [1, 2], {"x": 1}, 0]


def weird_initialize(wire: Wire, message: Json) -> None:
    wire.result({"id": str(message["id"])}, initialize_result(own_name()))


def weird_new(wire: Wire, message: Json) -> None:
    for wrong in ([message["id"]], 999_999):
        wire.result({"id": wrong}, {"sessionId": "wrong"})
    wire.result({"id": float(message["id"])}, {"sessionId": "weird-1"})


def weird_ids(wire: Wire, session_id: str, _: str) -> str:
    """Ask with ids that repeat and are no numbers, and answer with ids of other types."""
    call = {"toolCallId": "call-1", "title": "Something"}
    request: Json = {"sessionId": session_id, "toolCall": call, "options": [ALLOW]}
    answers = [wire.ask("session/request_permission", request, i) for i in IDS]
    same = [answer["id"] for answer in answers] == IDS
    wire.text(session_id, "all ids came back" if same else f"lost: {answers}")
    wire.result({"id": f"{wire.prompt_id}"}, {"stopReason": "because"})
    return ""


_FINAL: Json = {"toolCallId": "a", "status": "completed"}
MODES = {
    "permission_unknown_kind": Mode(
        asking(CALL, [{"optionId": "m", "name": "Maybe", "kind": "perhaps"}, REJECT])
    ),
    "permission_without_call_id": Mode(asking({"title": "Do something"}, [ALLOW, REJECT])),
    "permission_without_options": Mode(asking(CALL, [])),
    "permission_options_as_text": Mode(asking("Run make", ["Yes", "No"])),
    "permission_text_id": Mode(asking(CALL, [ALLOW, REJECT], "9f-uuid")),
    "permission_never_announced": Mode(asking(CALL, [ALLOW, REJECT], final=_FINAL)),
    "permission_meta": Mode(
        asking(CALL, [ALLOW, REJECT], _meta={"session_id": "stolen", "self": 1, "options": []})
    ),
    "permission_allow_first": Mode(
        asking(
            CALL, [{"optionId": "ever", "name": "Always", "kind": "allow_always"}, ALLOW, REJECT]
        )
    ),
    "permission_other_session": Mode(of_session("of-somebody-else")),
    "permission_withdrawn": Mode(withdrawn),
    "permission_outlived": Mode(ends_while_asking),
    "same_id_twice": Mode(same_id_twice),
    "files_outside": Mode(files_outside),
    "other_session_update": Mode(other_session_update),
    "unknown_request": Mode(unknown_requests("cursor/ask_question", "mcp/connect")),
    "unknown_extension": Mode(unknown_requests("_kiro/auth/getAccessToken")),
    "bad_params": Mode(bad_params),
    "huge_ids": Mode(huge_ids),
    "weird_ids": Mode(weird_ids, weird_initialize, weird_new),
}
