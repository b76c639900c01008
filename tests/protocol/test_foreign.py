"""What is read of what no recorded agent and no writer of a log in the fixtures has written.

``tests/golden/foreign`` tells it of each message, line and field. ``ACP_WRITE_GOLDEN=1`` writes it
anew, to be read.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from acp_jupyter.dialects.onyx import build_content, build_packets
from acp_jupyter.dialects.onyx.event_stream import (
    SseDecoder,
    is_framed,
    read_packets,
    unframed,
)
from acp_jupyter.packets import ParseState, parse_packet
from acp_jupyter.protocol import content, elicitation, files, packets, session_packets
from acp_jupyter.protocol.elicitation import read_field
from acp_jupyter.protocol.host_events import notes, session
from acp_jupyter.protocol.log import read_log, to_epoch
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.normalise import normalise
from acp_jupyter.protocol.parse.elicitation import SecretAnswers, elicitation_request, url_host
from acp_jupyter.protocol.parse.login import (
    assignments,
    auth_methods,
    is_login_error,
    terminal_login,
)
from acp_jupyter.protocol.tools import outputs
from acp_jupyter.protocol.traffic import TrafficEntry, is_plain, text_chunk
from acp_jupyter.protocol.traffic_reader import TrafficReader
from tests.acceptance import golden
from tests.conformance.reading import read as read_message
from tests.conformance.shapes import Message, messages_of_agents
from tests.protocol.test_wrong_fields import _entry as read_entry
from tests.protocol.test_wrong_fields import (
    _told,
    dumped,
    full,
    lines_of,
    places,
    value_at,
    with_wrong,
)
from tests.support.transcript.outcomes import check, said

FOLDER = golden.GOLDEN / "foreign"
Json = dict[str, Any]


def table(name: str, tell: Callable[[Any], Any]) -> None:
    """Compare what is told of each JSON text in a file; a row is added by its text alone."""
    file = FOLDER / f"{name}.json"
    known = json.loads(file.read_text())
    told = {text: tell(json.loads(text, object_hook=_repeated)) for text in known}
    if os.environ.get("ACP_WRITE_GOLDEN"):
        file.write_text(json.dumps(told, indent=1) + "\n")
        return
    assert told == known


def _repeated(value: Json) -> Any:
    """Return what an object with ``times`` stands for, or the object."""
    if value.keys() != {"times", "of"}:
        return value
    times, of = value["times"], value["of"]
    if isinstance(of, dict):
        return {f"{key}{n}": inner for n in range(times) for key, inner in of.items()}
    return of * times


# -- spelt in snake case -----------------------------------------------------------

OPAQUE = {
    *("_meta", "rawInput", "rawOutput", "content", "properties", "requestedSchema"),
    *("promptCapabilities", "configOptions"),
}
"""What lies below is nobody's or is read in the protocol's spelling only."""
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def snake(value: Any) -> Any:
    """Return a value with the protocol's names as old agents spell them."""
    if isinstance(value, list):
        return [snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        CAMEL.sub("_", name).lower(): inner if name in OPAQUE else snake(inner)
        for name, inner in value.items()
    }


def _messages() -> Iterator[tuple[Message, Any]]:
    for message in messages_of_agents():
        values = {json.dumps(value): value for value in full(message.schema)}
        for value in values.values():
            yield message, value


def test_names_in_snake_case_are_read_alike() -> None:
    for message, value in _messages():
        assert dumped(read_message(message, snake(value))) == dumped(read_message(message, value))


# -- messages --------------------------------------------------------------------


def test_messages() -> None:
    table("messages", _normal)


def _normal(message: Any) -> list[str]:
    messages = normalise(message)
    packets = (read_entry("<", None, each) for each in messages)
    return [said(messages, 1000), *(said(each, 400) for each in packets if each)]


def test_messages_with_wrong_fields() -> None:
    known = map(json.loads, json.loads((FOLDER / "messages.json").read_text()))
    objects = (each for each in known if isinstance(each, dict))
    check(FOLDER, "wrong_messages", (
        line for n, message in enumerate(objects) for line in lines_of(str(n), message, normalise)
    ))  # fmt: skip


CHUNK: Json = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "a"}}
CALL: Json = {
    **{"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "t", "kind": "edit"},
    **{"status": "completed", "rawInput": {"a": 1}, "rawOutput": "o", "_meta": {"b": 2}},
    "content": [{"type": "content", "content": {"type": "text", "text": "a"}}],
}
PLAIN = {
    "chunk": CHUNK,
    "thought": {**CHUNK, "sessionUpdate": "agent_thought_chunk"},
    "chunk with an id": {**CHUNK, "messageId": "m"},
    "call": CALL,
    "call with a name": {**CALL, "name": "n"},
    "new call": {**CALL, "sessionUpdate": "tool_call"},
    "plan": {"sessionUpdate": "plan", "entries": []},
    "user": {**CHUNK, "sessionUpdate": "user_message_chunk"},
    "two": {**CALL, "content": [*CALL["content"], *CALL["content"]]},
    **{
        status: {**CALL, "status": status} for status in ["pending", "in_progress", "failed", "odd"]
    },
    **{
        kind: {**CALL, "kind": kind}
        for kind in [
            "read",
            "delete",
            "move",
            "search",
            "execute",
            "think",
            "fetch",
            "switch_mode",
            "other",
            "odd",
        ]
    },
}


def test_which_messages_need_no_repair() -> None:
    lines: list[str] = []
    for name, update in PLAIN.items():
        params = {"sessionId": "s", "update": update}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        lines += lines_of(name, message, lambda m: [is_plain(m), str(text_chunk(m))])
        for place in [(), *places(message)]:
            if isinstance(value_at(message, place), dict):
                more = with_wrong({"m": message}, ("m", *place, "more"), 1)["m"]
                lines.append(f"{name} with more in {place}: {is_plain(more)} {text_chunk(more)}")
    check(FOLDER, "plain", lines)


def test_a_piece_of_text_can_be_said_otherwise() -> None:
    for more in ({}, {"messageId": "m"}):
        update = {**CHUNK, **more}
        params = {"sessionId": "s", "update": update}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        chunk = text_chunk(message)
        assert chunk is not None
        assert chunk.with_text("a") == message
        other = {**update, "content": {"type": "text", "text": "b"}}
        assert chunk.with_text("b") == {**message, "params": {**params, "update": other}}
    assert (
        text_chunk({**message, "params": {**params, "update": {**CHUNK, "messageId": 5}}}) is None
    )


def test_tool_calls() -> None:
    """Packets of one tool call after the other."""
    table("tool_calls", _tool_calls)


def _tool_calls(packets: list[Any]) -> list[str]:
    state = ParseState()
    return [_packet(parse_packet(packet, state)) for packet in packets]


def test_conversations() -> None:
    """Lines of a session with the line that each answers: packets, and what may be kept."""
    table("conversations", _conversation)


def _conversation(lines: list[Any]) -> list[str]:
    reader, secrets = TrafficReader(), SecretAnswers()
    told = []
    for seq, (side, message, *answered) in enumerate(lines, 1):
        entry = TrafficEntry(seq, 1.0, side, message, answered[0] if answered else None)
        packets = [_packet(packet) for packet in reader.read(entry)]
        kept = secrets.without(entry).message
        told.append(f"{', '.join(packets)}{'' if kept == message else said(kept, 300)}")
    return told


def _packet(packet: Any) -> str:
    shown = packet.model_dump(mode="json", exclude_defaults=True)
    return f"{type(packet).__name__} {said(shown, 600)}"


# -- logs ------------------------------------------------------------------------

ASKED = {"jsonrpc": "2.0", "id": 1, "method": "x"}
MARKS = (
    *[
        ">",
        ">>",
        ">>>",
        "→",
        "client",
        "fromclient",
        "editor",
        "ide",
        "stdin",
        "c2a",
        "c>a",
        "c→a",
        "<",
        "<<",
        "<<<",
        "←",
        "agent",
        "fromagent",
    ],
    *[
        "server",
        "stdout",
        "a2c",
        "a>c",
        "a→c",
        "out",
        "outgoing",
        "outbound",
        "send",
        "sent",
        "tx",
        "downstream",
        "in",
        "incoming",
    ],
    *[
        "inbound",
        "recv",
        "received",
        "receive",
        "rx",
        "upstream",
        "!",
        "stderr",
        "system",
        "log",
        "note",
        "desktop",
        "toagent",
    ],
    *[
        "client_to_agent",
        "agent-to-client",
        "to_server",
        "editor2agent",
        "ide>server",
        "agent→desktop",
        "to_ide",
    ],
    *("CLIENT", "Sent ", "from client", "other", "", "toother", "x" * 40, "> " + " " * 39, "-->"),
    *("client" + " " * 34, "client" + " " * 35),
)
SENDERS = "d dir direction _direction flow way from sender source side origin stream type kind "
RECEIVERS = "to target destination receiver"
TIMES = (
    "t ts time timestamp @timestamp ts_ms t_ms time_ms timestamp_ms timestampMs epoch_ms at date "
    "datetime created_at createdAt sent_at sentAt occurred_at elapsed elapsed_ms elapsedMs offset "
    "offset_ms elapsed_us at_micros ts_ns at_nanos timeMillis other"
)
MESSAGES = (
    "m message msg payload data body frame object rpc parsed json line raw content entry event "
    "params other"
)
CALLS = (
    "initialize authenticate logout session/new session/load session/list session/resume "
    "session/fork session/close session/delete session/prompt session/cancel session/set_mode "
    "session/set_model session/set_config_option session/update session/notification "
    "acp/notification/session_update session_update session/request_permission request_permission "
    "session_request_permission fs/read_text_file fs/write_text_file terminal/create "
    "terminal/output terminal/wait_for_exit terminal/kill terminal/release elicitation/create "
    "elicitation/complete x"
)
ANSWERED = (
    *("session/prompt", "fs/read_text_file", "session/request_permission", "session/new"),
    *("initialize", "terminal/create", "terminal/output", "terminal/wait_for_exit"),
    "elicitation/create",
)
RESULTS = "outcome content terminalId output action protocolVersion sessionId stopReason exitCode x"


def _logs() -> Iterator[tuple[str, list[Any]]]:
    """Yield logs by names: each a list of values, or of lines as they stand."""
    for mark in MARKS:
        text = f"{mark} {json.dumps(ASKED)}"
        yield f"marked {mark!r}", [{"dir": mark, "msg": ASKED}, {"to": mark, "msg": ASKED}, text]
        # Without a mark this is the client's, and the above the agent's.
        answer = {"id": 9, "result": {"content": 1}}
        both = [{"dir": mark, "msg": answer}, {"to": mark, "msg": answer}]
        yield f"answers marked {mark!r}", [*both, f"{mark} {json.dumps(answer)}"]
    for name in (SENDERS + RECEIVERS).split():
        yield f"marked by {name}", [{name: "client", "msg": ASKED}, {**ASKED, name: "client"}]
    for name in TIMES.split():
        yield f"timed by {name}", [{name: time, "msg": ASKED} for time in (1_500_000_000_000, 7)]
    for name in MESSAGES.split():
        inner = (ASKED, json.dumps(ASKED), {"x": ASKED}, {"m": ASKED})
        yield f"wrapped in {name}", [{name: each} for each in inner]
    for method in CALLS.split():
        call, answer = {**ASKED, "method": method, "id": 7}, {"id": 7, "result": {}}
        for mark in ("out", "in"):
            both = [{"dir": mark, "m": call}, {"dir": mark, "m": answer}, {"dir": "in", "m": ASKED}]
            yield f"{method} {mark}", both
    for method, other in itertools.product([*CALLS.split()[::4], *ANSWERED], ANSWERED[:4]):
        asked = [{"id": 7, "method": each} for each in (other, method)]
        for key in RESULTS.split():
            yield f"{key} after {other}, {method}", [*asked, {"id": 7, "result": {key: 1}}]
    for key in RESULTS.split():
        yield key, [{"id": 1, "result": {key: 1}}]


def test_logs() -> None:
    lines: list[str] = []
    for name, log in _logs():
        written = [json.dumps(v) if isinstance(v, dict) else v for v in log]
        found = list(read_log(written, 100.0))
        lines.append(f"{name}: {' '.join(map(_short, found))}")
    check(FOLDER, "logs", lines)


def _short(found: TrafficEntry | LogProblem) -> str:
    if isinstance(found, LogProblem):
        return _told(found)
    return "".join(
        map(str, (f"{found.t:g}", found.direction, "" if found.re is None else found.re))
    )


def test_a_log_without_times_begins_at_nothing() -> None:
    (entry,) = read_log([json.dumps(ASKED)])
    assert isinstance(entry, TrafficEntry)
    assert entry.t == 0.0


def test_odd_logs() -> None:
    """Lines as they stand, and what is read of them."""
    table("odd_logs", _read_log)


def _read_log(lines: list[str]) -> str:
    return "; ".join(_told(found) for found in read_log(lines, 100.0))


def test_captures_of_event_streams() -> None:
    table("captures", _captured)


def _captured(lines: list[str]) -> list[str]:
    found = [line.decode(errors="backslashreplace") for line in unframed(lines)]
    stream = "\n".join(lines).encode("utf-8", "surrogatepass")
    pieces = [stream[at : at + 3] for at in range(0, len(stream), 3)]
    decoder = SseDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)] + decoder.end()
    told = [f"{event.event} {event.id} {event.data!r}" for event in events]
    packets = [packet.type for packet in read_packets(pieces)]
    return [f"a capture: {is_framed(lines)}", said(found, 400), *told, " ".join(packets)]


def test_times() -> None:
    table("times", lambda row: to_epoch(*row))


# -- questions and logins ----------------------------------------------------------


def test_fields_of_forms() -> None:
    table("fields", lambda raw: _field(raw))


def _field(raw: Any) -> str:
    name = raw.pop("name", "a_field")
    found = read_field(name, raw, required=False)
    if isinstance(found, str):
        return found
    plain = type(found)(name=name, label="")
    shown = found.model_dump(exclude_defaults=True)
    return said({k: v for k, v in shown.items() if v != getattr(plain, k)}, 500)


def test_addresses_to_open() -> None:
    table("hosts", url_host)


def test_questions() -> None:
    table(
        "questions",
        lambda raw: said(elicitation_request(raw, "e").model_dump(exclude_defaults=True), 600),
    )


def test_logins() -> None:
    table("logins", _login)


def _login(raw: Any) -> list[str]:
    methods = auth_methods(raw)
    logins = [terminal_login(raw, method.id) for method in methods]
    adds = ["none" if each is None else " ".join(assignments(each.env)) for each in logins]
    return [
        *(said(method.model_dump(exclude_defaults=True), 600) for method in methods),
        *(f"{login} {add}" for login, add in zip(logins, adds, strict=True)),
        f"of another: {terminal_login(raw, 'none')}",
    ]


def test_errors_that_ask_for_a_login() -> None:
    table("login_errors", lambda row: is_login_error(*row))


# -- fields ------------------------------------------------------------------------


def test_what_a_field_is_that_nobody_names() -> None:
    """Models of packets and notes: their fields, and what each is where it is left out."""
    lines = []
    ours = (content, elicitation, files, notes, packets, session, session_packets, outputs)
    for module in (*ours, build_content, build_packets):
        classes = (m for m in vars(module).values() if isinstance(m, type))
        models = (m for m in classes if issubclass(m, BaseModel))
        for model in (m for m in models if m.__module__ == module.__name__):
            lines.append(f"{model.__module__.rpartition('.')[2]}.{model.__name__}")
            for name, field in model.model_fields.items():
                default = field.get_default(call_default_factory=True)
                shown = "the time of now" if isinstance(default, datetime) else repr(default)
                absent = "" if field.is_required() else f" = {shown}"
                lines.append(f"  {model.__name__}.{name}{_words(field.annotation)}{absent}")
    check(FOLDER, "fields", lines)


def _words(annotation: Any) -> str:
    return f" of {get_args(annotation)}" if get_origin(annotation) is Literal else ""
