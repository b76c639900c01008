#!/usr/bin/env python3
"""Streams in many sessions at once. A prompt ``COUNT PAUSE`` is COUNT updates PAUSE s apart."""

from __future__ import annotations

import heapq
import json
import os
import select
import time
from typing import Any

Json = dict[str, Any]


def send(*messages: Json) -> None:
    data = b"".join(json.dumps({"jsonrpc": "2.0", **m}).encode() + b"\n" for m in messages)
    while data:
        data = data[os.write(1, data) :]


def update(session_id: str, number: int) -> Json:
    content = {"type": "text", "text": f"{number} "}
    told = {"sessionUpdate": "agent_message_chunk", "content": content}
    return {"method": "session/update", "params": {"sessionId": session_id, "update": told}}


def main() -> None:
    buffer, due, sessions = b"", list[tuple[float, int, Json, int, int, float]](), 0
    while True:
        wait = max(0.0, due[0][0] - time.monotonic()) if due else None
        if select.select([0], [], [], wait)[0]:
            chunk = os.read(0, 65536)
            if not chunk:
                return
            *lines, buffer = (buffer + chunk).split(b"\n")
            for message in map(json.loads, lines):
                method = message.get("method")
                if method == "initialize":
                    result: Json = {"protocolVersion": 1, "agentCapabilities": {}}
                    send({"id": message["id"], "result": {**result, "authMethods": []}})
                elif method == "session/new":
                    sessions += 1
                    send({"id": message["id"], "result": {"sessionId": f"m{sessions}"}})
                elif method == "session/prompt":
                    count, pause = message["params"]["prompt"][0]["text"].split()
                    start = time.monotonic()
                    entry = (start, message["id"], message, 0, int(count), float(pause))
                    heapq.heappush(due, entry)
        step(due)


def step(due: list[tuple[float, int, Json, int, int, float]]) -> None:
    """Send what is due, in one write for all that is due now."""
    now = time.monotonic()
    batch: list[Json] = []
    while due and due[0][0] <= now and len(batch) < 500:
        at, key, message, number, count, pause = heapq.heappop(due)
        if number == count:
            batch.append({"id": message["id"], "result": {"stopReason": "end_turn"}})
            continue
        batch.append(update(message["params"]["sessionId"], number))
        heapq.heappush(due, (at + pause, key, message, number + 1, count, pause))
    if batch:
        send(*batch)


main()
