"""Does what its prompt says with terminals, and tells what it was answered.

The prompt is a JSON list of steps: ``{"ask": METHOD, "params": {…}, "as": NAME}`` sends a request,
``{"update": {…}}`` an update, ``{"rest": SECONDS}`` waits. ``$NAME`` stands for the id of the
terminal that the step of that name made. The answers are said as a JSON list.
"""

from __future__ import annotations

import json
from typing import Any

from _wire import Json, Wire, serve


def prompt(wire: Wire, session_id: str, text: str) -> str:
    made: dict[str, str] = {}

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        return made.get(value, value) if isinstance(value, str) else value

    answers: list[Json] = []
    for step in json.loads(text):
        if "update" in step:
            update = filled(step["update"])
            wire.update(session_id, update.pop("sessionUpdate"), **update)
        elif "rest" in step:
            wire.rest(step["rest"])
        else:
            answer = wire.ask(step["ask"], {"sessionId": session_id, **filled(step["params"])})
            answers.append(answer.get("error") or answer["result"])
            if "as" in step and "result" in answer:
                made[f"${step['as']}"] = answer["result"]["terminalId"]
    wire.text(session_id, json.dumps(answers))
    return "end_turn"


serve(prompt)
