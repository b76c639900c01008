"""What one update of an agent costs from its line to events, against the SDK's validation alone."""

from __future__ import annotations

import gc
import json
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass

from acp.schema import SessionNotification

from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce
from tests.support.transcript.traffic import Script

__all__ = ["SIZES", "UpdateCost", "measure_updates"]

SIZES = (1_000, 10_000, 100_000)

_CALL_EVERY = 50
"""Updates between two tool calls whose output grows and is resent whole."""
_RESENT = 10
"""Updates of one such call."""


@dataclass(frozen=True, slots=True)
class UpdateCost:
    """Microseconds per update of one session, and what is kept of it."""

    updates: int
    json: float
    """Bare ``json.loads``."""
    sdk: float
    """``json.loads`` and the SDK's ``SessionNotification.model_validate``."""
    ours: float
    """Line to transcript and events: read, normalise, packet, reduce."""
    kept_bytes: int
    """Memory of the transcript at the end; without the events, which nobody keeps."""
    text_bytes: int
    """Text that was said, once."""


def measure_updates(updates: int) -> UpdateCost:
    """Let the three take turns with the same lines; the least of each counts."""
    lines = list(_lines(updates))
    rounds = max(2, 20_000 // updates)
    runs = [(_json(lines), _sdk(lines), _ours(lines)) for _ in range(rounds)]
    micro = 1e6 / updates
    bare, sdk, ours = (min(column) * micro for column in zip(*runs, strict=True))
    return UpdateCost(updates, bare, sdk, ours, _kept(lines), sum(map(_said, lines)))


def _json(lines: list[str]) -> float:
    start = _start()
    for line in lines:
        json.loads(line)
    return time.process_time() - start


def _sdk(lines: list[str]) -> float:
    start = _start()
    for line in lines:
        SessionNotification.model_validate(json.loads(line)["params"])
    return time.process_time() - start


def _ours(lines: list[str]) -> float:
    transcript, reader = _opened(), TrafficReader()
    start = _start()
    for seq, line in enumerate(lines):
        for packet in reader.read(TrafficEntry(seq, 1.0, "<", read_json(line))):
            transcript, _ = reduce(transcript, packet, 1.0)
    return time.process_time() - start


def _start() -> float:
    gc.collect()
    return time.process_time()


def _kept(lines: list[str]) -> int:
    gc.collect()
    tracemalloc.start()
    transcript, reader = _opened(), TrafficReader()
    for seq, line in enumerate(lines):
        for packet in reader.read(TrafficEntry(seq, 1.0, "<", read_json(line))):
            transcript, _ = reduce(transcript, packet, 1.0)
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept


def _opened() -> Transcript:
    script = Script()
    script.turn()
    return script.transcript


def _lines(updates: int) -> Iterator[str]:
    for number in range(updates):
        call, step = divmod(number, _CALL_EVERY)
        if step < _RESENT:
            yield _tool_line(f"c{call}", step)
        else:
            content = {"type": "text", "text": "lorem ipsum dolor s "}
            yield _line({"sessionUpdate": "agent_message_chunk", "content": content})


def _tool_line(call: str, step: int) -> str:
    fields: dict[str, object] = {"toolCallId": call}
    if step == 0:
        fields |= {"title": "bash", "kind": "execute", "rawInput": {"command": "make all"}}
        return _line({"sessionUpdate": "tool_call", "status": "pending", **fields})
    output = "".join(f"line {number}: compiling something\n" for number in range(step * 5))
    block = {"type": "content", "content": {"type": "text", "text": output}}
    status = "completed" if step == _RESENT - 1 else "in_progress"
    return _line(
        {"sessionUpdate": "tool_call_update", "status": status, "content": [block], **fields}
    )


def _line(update: dict[str, object]) -> str:
    params = {"sessionId": "a1", "update": update}
    return json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})


def _said(line: str) -> int:
    """Return the text that a line adds to what is kept."""
    update = json.loads(line)["params"]["update"]
    if update["sessionUpdate"] == "agent_message_chunk":
        return len(update["content"]["text"])
    whole = update.get("status") == "completed"
    return len(update["content"][0]["content"]["text"]) if whole else 0
