"""Lines that are no message, or not quite one."""

from __future__ import annotations

import json
from typing import Any

from _wire import Json, Wire

from hazards.mode import Mode, chunk, notify, raw_update

__all__ = ["MODES", "send_line"]

NOISE: dict[str, list[bytes]] = {
    "noise": [b"Loading plugins...\n", b"hook: done\n"],
    "ansi_noise": [b"\x1b[2K\x1b[1G\x1b[33mwarning\x1b[0m\n"],
    "blank_lines": [b"\n", b"  \t \n", b"\r\n"],
    "no_objects": [b"123\n", b'"text"\n', b"true\n", b"[1, 2]\n"],
    "null_line": [b"null\n"],
    "nested_deeply": [b"[" * 3000 + b"]" * 3000 + b"\n", b'{"a":' * 3000 + b"1" + b"}" * 3000],
    "no_numbers": [b'{"a": NaN, "b": Infinity, "c": 1e999, "d": 1' + b"0" * 4000 + b"}\n"],
    "empty_object": [b"{}\n", b'{"jsonrpc":"2.0"}\n'],
    "answer_to_nobody": [
        b'{"jsonrpc":"2.0","id":424242,"result":{}}\n',
        b'{"id":[1],"result":{}}\n',
    ],
}


def _noise(pieces: list[bytes]) -> Mode:
    def prompt(wire: Wire, session_id: str, _: str) -> str:
        for piece in pieces:
            wire.write(piece)
            wire.write(b"\n")
        wire.text(session_id, "After the noise.")
        return "end_turn"

    return Mode(prompt, on_start=lambda wire: wire.write(b"".join(pieces) + b"\n"))


GARBAGE = (
    b"Loading plugins...\n",
    b"\x1b[2K\x1b[1G\x1b[33mwarning\x1b[0m\n",
    b"\n \n",
    b"{not json}\n",
    b"123\n",
    b'"text"\n',
    b"null\n",
    b"NaN\n",
    b"\xff\xfe\x00broken\n",
    b"[" * 3000 + b"\n",
    b'{"a":' * 3000 + b"\n",
    b"[[], [null, 5]]\n",
    b'{"jsonrpc":"2.0"}\n',
)


def garbage(wire: Wire, session_id: str, _: str) -> str:
    for line in GARBAGE:
        wire.write(line)
        wire.text(session_id, "still ")
    wire.text(session_id, "here")
    return "end_turn"


def write_garbage(wire: Wire) -> None:
    wire.write(b"".join(GARBAGE))


def write_nothing_else(wire: Wire) -> None:
    write_garbage(wire)
    while wire.line():
        wire.write(b"I do not speak this.\n")


def send_line(wire: Wire, message: Any, old: bytes = b"", new: bytes = b"") -> None:
    wire.write(json.dumps(message).encode().replace(old or b"\0", new) + b"\n")


def invalid_utf8(wire: Wire, session_id: str, _: str) -> str:
    update = raw_update(session_id, chunk({"type": "text", "text": "bytes ?? here"}))
    send_line(wire, update, b"??", b"\xff\xfe")
    return "end_turn"


def invalid_utf8_in_answer(wire: Wire, session_id: str, _: str) -> str:
    wire.text(session_id, "Hello.")
    answer = {"id": wire.prompt_id, "result": {"stopReason": "end_turn", "note": "??"}}
    send_line(wire, answer, b"??", b"\xff\xfe")
    return ""


def lone_surrogate(wire: Wire, session_id: str, _: str) -> str:
    send_line(wire, raw_update(session_id, chunk({"type": "text", "text": "half \ud83d an emoji"})))
    return "end_turn"


def split_pairs(wire: Wire, session_id: str, _: str) -> str:
    for text in ("a \ud83d", "\ude00 b", "\ud83d", "\ude00\ud83d", "\ude00", " \ud83d", "\ud83d"):
        wire.text(session_id, text)
    wire.update(session_id, "plan", entries=[])
    wire.text(session_id, " c\ud83d")
    wire.text(session_id, "d\ude00")
    wire.text(session_id, "\ud83d")
    return "end_turn"


def batch(wire: Wire, session_id: str, _: str) -> str:
    words = raw_update(session_id, chunk({"type": "text", "text": "batched "}))
    end: Json = {"jsonrpc": "2.0", "id": wire.prompt_id, "result": {"stopReason": "end_turn"}}
    send_line(wire, [words, words, [words], 5, end])
    return ""


def bare_chunk(wire: Wire, session_id: str, _: str) -> str:
    del session_id
    send_line(wire, {"content": "hello from before the protocol", "type": "text"})
    return "end_turn"


def no_jsonrpc(wire: Wire, session_id: str, _: str) -> str:
    update = raw_update(session_id, chunk({"type": "text", "text": "no version"}))
    del update["jsonrpc"]
    send_line(wire, update)
    send_line(wire, {"id": wire.prompt_id, "result": {"stopReason": "end_turn"}})
    return ""


def other_names(wire: Wire, session_id: str, _: str) -> str:
    methods = ("session/notification", "acp/notification/session_update", "session_update")
    for method in methods:
        update = chunk({"type": "text", "text": f"{method}, "})
        send_line(wire, {**raw_update(session_id, update), "method": method})
    return "end_turn"


def long_line(wire: Wire, session_id: str, text: str) -> str:
    """Write so many MB in one line, 70 if none are named, in pieces that need no such memory."""
    update = raw_update(session_id, chunk({"type": "text", "text": "?"}))
    start, end = json.dumps(update).split("?")
    wire.write(start.encode())
    size = float(text) if text[:1].isdecimal() else 70
    for _piece in range(int(size * 10)):
        wire.write(b"x" * 100_000)
    wire.write(end.encode() + b"\n")
    wire.text(session_id, "After the long line.")
    return "end_turn"


def burst(wire: Wire, session_id: str, _: str) -> str:
    line = json.dumps(raw_update(session_id, chunk({"type": "text", "text": "x"}))).encode()
    for _round in range(20):
        wire.write((line + b"\n") * 1000)
    return "end_turn"


def update_as_request(wire: Wire, session_id: str, _: str) -> str:
    update = chunk({"type": "text", "text": "asked "})
    answer = wire.ask("session/update", {"sessionId": session_id, "update": update})
    wire.text(session_id, f"{sorted(answer.keys() - {'jsonrpc', 'id'})}")
    return "end_turn"


def meta_collisions(wire: Wire, session_id: str, _: str) -> str:
    meta = {"session_id": "stolen", "self": 1, "update": None, "kwargs": {}}
    for where in ("message", "params"):
        message = raw_update(session_id, chunk({"type": "text", "text": f"{where} "}))
        (message if where == "message" else message["params"])["_meta"] = meta
        send_line(wire, message)
    notify(wire, session_id, chunk({"type": "text", "text": "update"}, _meta=meta))
    return "end_turn"


MODES = {
    **{name: _noise(pieces) for name, pieces in NOISE.items()},
    "garbage": Mode(garbage, on_start=write_garbage),
    "only_garbage": Mode(on_start=write_nothing_else),
    "invalid_utf8": Mode(invalid_utf8),
    "invalid_utf8_in_answer": Mode(invalid_utf8_in_answer),
    "lone_surrogate": Mode(lone_surrogate),
    "split_pairs": Mode(split_pairs),
    "batch": Mode(batch),
    "bare_chunk": Mode(bare_chunk),
    "no_jsonrpc": Mode(no_jsonrpc),
    "other_names": Mode(other_names),
    "long_line": Mode(long_line),
    "burst": Mode(burst),
    "update_as_request": Mode(update_as_request),
    "meta_collisions": Mode(meta_collisions),
}
