"""An output that an agent sends whole with each update: a page gets what is new of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from acp_jupyter.api.models.frames import EventsFrame
from tests.support.transcript.event_view import View
from tests.support.transcript.traffic import Script

_LINES = "".join(f"line {number}: compiling something\n" for number in range(30_000))
_TIMES = 100

_OUTPUTS: dict[str, Callable[[int], str]] = {
    "the same": lambda _: _LINES,
    "grows": lambda number: _LINES[: len(_LINES) * number // _TIMES],
    "ends in a progress bar": lambda number: f"{_LINES}\r{number} % done",
    "loses its end": lambda number: _LINES[: len(_LINES) - number],
}
_SHAPES: dict[str, Callable[[str], dict[str, Any]]] = {
    "content": lambda text: {"content": [_block(text)]},
    "raw": lambda text: {"rawOutput": {"output": text, "exitCode": None}},
    "both": lambda text: {"content": [_block(text)], "rawOutput": {"output": text}},
}


def _block(text: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": text}}


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("output", _OUTPUTS)
def test_a_page_gets_what_is_new(output: str, shape: str) -> None:
    script = Script()
    prompt = script.turn()
    call = {"toolCallId": "c", "title": "bash", "kind": "execute", "rawInput": {"command": "make"}}
    script.update("tool_call", **call, status="in_progress")
    for number in range(1, _TIMES + 1):
        resent = _SHAPES[shape](_OUTPUTS[output](number))
        script.update("tool_call_update", toolCallId="c", **resent)
    script.update("tool_call_update", toolCallId="c", status="completed")
    script.end(prompt)
    frame = EventsFrame(session_id="s1", events=tuple(script.events)).model_dump_json()
    # Once as it comes, once with the call's end.
    assert len(frame) < 2.2 * len(_LINES) + 1_500 * _TIMES
    items = View().take(script.events).state()[1]
    (shown,) = (item for item in items if item["kind"] == "tool_call")
    assert shown["output"] == _OUTPUTS[output](_TIMES)
    assert len(str(shown["raw_output"])) < 21_000
