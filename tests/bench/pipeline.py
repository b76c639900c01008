"""What a chunk costs between the line and the frame, without processes, sockets or disks."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from acp_jupyter.api.models.frames import EventsFrame
from acp_jupyter.api.subscription import Subscription
from tests.support.transcript.traffic import Script

__all__ = ["PipelineCost", "measure_pipeline"]

_FLUSH = 400
"""Chunks in one flush: what a fast agent writes in 33 ms."""


@dataclass(frozen=True, slots=True)
class PipelineCost:
    """Microseconds per chunk of 20 characters."""

    items: int
    """In the transcript when the chunks came."""
    parse: float
    """Line to object; the least that any client pays."""
    reduce: float
    """Object to events: normalise, packet, transcript."""
    deliver: float
    """Offer, merge, frame to JSON."""


def measure_pipeline(items: int, chunks: int = 20_000) -> PipelineCost:
    """Stream ``chunks`` chunks into a transcript of ``items`` items."""
    script = Script()
    script.turn()
    for number in range(items):
        script.update("tool_call", toolCallId=f"c{number}", title=f"Step {number}", kind="other")
    line = json.dumps(_chunk("lorem ipsum dolor s "))
    start = time.perf_counter()
    messages = [json.loads(line) for _ in range(chunks)]
    parsed = time.perf_counter()
    script.events.clear()
    for message in messages:
        script.line("<", message)
    reduced = time.perf_counter()
    subscription = Subscription("s1", lambda: None)
    events = script.events
    before = time.perf_counter()
    for at in range(0, len(events), _FLUSH):
        for event in events[at : at + _FLUSH]:
            subscription.push((event,))
        EventsFrame(session_id="s1", events=subscription.take()).model_dump_json()
    delivered = time.perf_counter()
    micro = 1e6 / chunks
    return PipelineCost(
        items, (parsed - start) * micro, (reduced - parsed) * micro, (delivered - before) * micro
    )


def _chunk(text: str) -> dict[str, object]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    params = {"sessionId": "a1", "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}
