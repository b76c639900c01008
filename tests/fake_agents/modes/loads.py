"""Agents that do very much."""

from __future__ import annotations

import heapq
import json
import os
import time
from collections.abc import Callable

from _wire import ALLOW, Json, Wire, in_turns, initialize_result, own_name, text_of

BATCH = 500
MIB = 1024 * 1024
_SENTENCE = "The rows are read once, and `normalise` no longer walks them. "
_LINE = _SENTENCE * 1_000


def line(session_id: str, update: Json) -> bytes:
    params = {"sessionId": session_id, "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message).encode() + b"\n"


def chunk(text: str) -> Json:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def output(text: str) -> Json:
    return {"type": "content", "content": {"type": "text", "text": text}}


@in_turns
def flood(wire: Wire, session_id: str, _: str, count: str = "20000", kind: str = "words") -> str:
    """Write so many chunks flat out; with ``calls`` as second word, tool calls."""

    def update(number: int) -> Json:
        if kind != "calls":
            return chunk(f"{number} ")
        call = {"toolCallId": f"c{number}", "title": f"Read {number}", "kind": "read"}
        return {"sessionUpdate": "tool_call", **call, "status": "completed"}

    for start in range(0, int(count), BATCH):
        numbers = range(start, min(start + BATCH, int(count)))
        wire.write(b"".join(line(session_id, update(number)) for number in numbers))
    return "end_turn"


@in_turns
def works(wire: Wire, session_id: str, text: str) -> str:
    """Do what fills an ordinary turn, or say as many MiB as the prompt names."""
    if text.isdecimal():
        for number in range(int(text)):
            for start in range(0, MIB, len(_LINE)):
                wire.text(session_id, _LINE[: MIB - start])
            wire.update(session_id, "tool_call", toolCallId=f"m{number}", title="Step", kind="read")
        return "end_turn"
    for step in range(8):
        call = f"{text}-{step}"
        thought = {"type": "text", "text": f"Thinking about {call}. {_SENTENCE}"}
        wire.update(session_id, "agent_thought_chunk", content=thought)
        _work(wire, session_id, call, edits=step % 4 == 0)
        wire.text(session_id, f"Answer {call}. {_SENTENCE * 8}\n")
    return "end_turn"


def _work(wire: Wire, session_id: str, call: str, *, edits: bool) -> None:
    diff: Json = {
        "type": "diff",
        "path": f"src/file_{call}.py",
        "oldText": "a = 1\n" * 20,
        "newText": "a = 2\n" * 20,
    }
    content = diff if edits else output("line of output\n" * 20)
    kind = "edit" if edits else "execute"
    wire.update(session_id, "tool_call", toolCallId=call, title=f"Step {call}", kind=kind)
    done: Json = {"toolCallId": call, "status": "completed"}
    wire.update(session_id, "tool_call_update", content=[content], **done)


# -- what is hard to take in ---------------------------------------------------


@in_turns
def hostile(wire: Wire, session_id: str, text: str) -> str:
    """Send what is hard to take in. The prompt is a JSON object that says what; see `LOADS`."""
    wanted: Json = json.loads(text)
    LOADS[wanted["load"]](wire, session_id, wanted)
    return "end_turn"


def _everywhere(wire: Wire, session_id: str, wanted: Json) -> None:
    """Say the text of ``NAME.json`` wherever an agent can say one; ``NAME.txt`` is a file of it."""
    with open(f"{wanted['name']}.json") as file:
        text = json.load(file)
    shown = os.path.abspath(f"{wanted['name']}.txt")
    wire.text(session_id, text)
    wire.update(session_id, "tool_call", toolCallId="c1", title=text[:200], kind="read")
    done: Json = {"toolCallId": "c1", "status": "completed"}
    content = [output(text)]
    wire.update(session_id, "tool_call_update", content=content, rawOutput=text, **done)
    read = wire.ask("fs/read_text_file", {"sessionId": session_id, "path": shown})
    command: Json = {"command": "cat", "args": [shown]}
    whole = {"command": f"cat {shown}"}
    call: Json = {"toolCallId": "c2", "title": "cat", "kind": "execute", "rawInput": whole}
    wire.update(session_id, "tool_call", status="pending", **call)
    wire.permission(session_id, call, [ALLOW])
    made = wire.ask("terminal/create", {"sessionId": session_id, **command})
    ran = made.get("result")
    if ran is not None:
        terminal = {"sessionId": session_id, "terminalId": ran["terminalId"]}
        view = [{"type": "terminal", "terminalId": ran["terminalId"]}]
        wire.update(session_id, "tool_call_update", toolCallId="c2", content=view)
        wire.ask("terminal/wait_for_exit", terminal)
        wire.ask("terminal/output", terminal)
        wire.ask("terminal/release", terminal)
    wire.update(session_id, "tool_call_update", toolCallId="c2", status="completed")
    told = [name for name, answer in (("read", read), ("terminal", made)) if "result" in answer]
    wire.text(session_id, f"\n\nDone: {' '.join(told)}")


def _calls(wire: Wire, session_id: str, wanted: Json) -> None:
    """Begin and complete ``count`` tool calls."""
    for start in range(0, wanted["count"], BATCH):
        numbers = range(start, min(start + BATCH, wanted["count"]))
        wire.write(b"".join(part for number in numbers for part in _call(session_id, number)))


def _call(session_id: str, number: int) -> tuple[bytes, bytes]:
    about: Json = {"toolCallId": f"c{number}", "title": f"Step {number}", "kind": "execute"}
    begun = {"status": "pending", "rawInput": {"command": f"make step-{number}"}}
    text = f"step {number} is done\n"
    raw = {"output": text, "exit": 0}
    ended = {"status": "completed", "content": [output(text)], "rawOutput": raw}
    return (
        line(session_id, {"sessionUpdate": "tool_call", **about, **begun}),
        line(
            session_id, {"sessionUpdate": "tool_call_update", "toolCallId": f"c{number}", **ended}
        ),
    )


def _lines(wire: Wire, session_id: str, wanted: Json) -> None:
    """Write ``count`` lines of ``mib`` MiB, and a word after them."""
    size = int(wanted["mib"] * MIB)
    head, _, tail = line(session_id, chunk("TEXT")).partition(b"TEXT")
    if wanted["kind"] == "text":
        long = head + b"lorem ipsum " * (size // 12) + tail
    elif wanted["kind"] == "brackets":
        deep: Json = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Deep"}
        whole = line(session_id, {**deep, "rawInput": "TEXT"})
        head, _, tail = whole.partition(b'"TEXT"')
        long = head + b"[" + b"[]," * (size // 3) + b"[]]" + tail
    else:
        long = b'{"jsonrpc": ' * (size // 12) + b"\n"
    for _number in range(wanted["count"]):
        wire.write(long)
    wire.text(session_id, "\n\nAfter the long lines.")


def _file(wire: Wire, session_id: str, wanted: Json) -> None:
    """Write the line in ``NAME.line`` ``count`` times, with the session's id, and a word after."""
    with open(f"{wanted['name']}.line", "rb") as file:
        line = file.read().replace(b'"the-session"', json.dumps(session_id).encode())
    for _number in range(wanted["count"]):
        wire.write(line)
    if wanted.get("wait") and wire.rest(wanted["wait"]):
        return
    wire.text(session_id, "\n\nAfter the long lines.")


def _nothing(wire: Wire, _session_id: str, _wanted: Json) -> None:
    """Send nothing for a while."""
    wire.rest(3.0)


LOADS: dict[str, Callable[[Wire, str, Json], None]] = {
    "nothing": _nothing,
    "file": _file,
    "everywhere": _everywhere,
    "calls": _calls,
    "lines": _lines,
}


# -- many sessions -------------------------------------------------------------

_Due = tuple[float, int, Json, int, int, float]


def many_sessions() -> None:
    """Stream in many sessions at once. A prompt ``COUNT PAUSE`` is COUNT updates PAUSE s apart."""
    wire, due, sessions = Wire(), list[_Due](), 0
    while (data := wire.line(max(0.0, due[0][0] - time.monotonic()) if due else None)) != b"":
        message: Json = json.loads(data) if data else {}
        method = message.get("method")
        if method == "initialize":
            wire.result(message, initialize_result(own_name()))
        elif method == "session/new":
            sessions += 1
            wire.result(message, {"sessionId": f"m{sessions}"})
        elif method == "session/prompt":
            count, pause = text_of(message["params"]).split()
            start = time.monotonic()
            heapq.heappush(due, (start, message["id"], message, 0, int(count), float(pause)))
        _send_due(wire, due)


def _send_due(wire: Wire, due: list[_Due]) -> None:
    """Send what is due, in one write for all that is due now."""
    now, batch = time.monotonic(), list[bytes]()
    while due and due[0][0] <= now and len(batch) < BATCH:
        at, key, message, number, count, pause = heapq.heappop(due)
        if number < count:
            batch.append(line(message["params"]["sessionId"], chunk(f"{number} ")))
            heapq.heappush(due, (at + pause, key, message, number + 1, count, pause))
        else:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"stopReason": "end_turn"}}
            batch.append(json.dumps(answer).encode() + b"\n")
    wire.write(b"".join(batch))
