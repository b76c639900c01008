"""What is read where one field of a message is missing, null or of another type.

The messages are those of the golden packets, of recorded agents, of the protocol's schema and of
the host's own notes. Each field of each is put wrong in turn; ``tests/golden/wrong_fields`` says
what that changes in what is read. ``ACP_WRITE_GOLDEN=1`` writes it anew.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Any

import pytest

from acp_jupyter.packets import ParseState, parse_packet
from acp_jupyter.protocol.log import read_log
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.traffic import Direction, TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from tests.acceptance import golden
from tests.conformance.reading import read as read_message
from tests.conformance.shapes import Message, Schema, alternatives, messages_of_agents
from tests.support.log.recorded import RECORDED, TRAFFIC
from tests.support.transcript.outcomes import MAX, check, cut, outcome, said

FOLDER = golden.GOLDEN / "wrong_fields"
LOGS = TRAFFIC.with_name("logs")
Place = tuple[str | int, ...]
Read = Callable[[Any], Any]
"""From a raw message to what is read, as JSON."""

MISSING = object()


def wrong_values(value: Any) -> list[Any]:
    """Return what stands in the place of a value, in turn."""
    match value:
        case bool():
            return [MISSING, None, not value, "true", 1, {}]
        case int() | float():
            return [MISSING, None, value + 1, -1, 0, 1.5, str(value), True, 2**70]
        case str():
            padded, spelt = f" {value}\n", value.swapcase()
            return [MISSING, None, "", "~", padded, spelt, 7, True, [], [value], {"text": value}]
        case list():
            return [MISSING, None, [], {}, "~", 7, [None], [7, *value], [*value, *value]]
        case dict():
            return [MISSING, None, {}, [], "~", 7, [value], {**value, "~": 1}]
        case _:
            return [MISSING, "~", 7, [], {}, True]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield each field, and of a list the first and the last item, from the root."""
    if isinstance(value, dict):
        steps: Iterable[str | int] = value
    elif isinstance(value, list):
        steps = sorted({0, len(value) - 1}) if value else []
    else:
        return
    for step in steps:
        yield (*place, step)
        yield from places(value[step], (*place, step))


def with_wrong(message: Any, place: Place, wrong: Any) -> Any:
    """Return a copy of a message with another value in one place."""
    message = copy.deepcopy(message)
    around = message
    for step in place[:-1]:
        around = around[step]
    if wrong is MISSING:
        del around[place[-1]]
    else:
        around[place[-1]] = wrong
    return message


def value_at(message: Any, place: Place) -> Any:
    for step in place:
        message = message[step]
    return message


# -- what changes --------------------------------------------------------------


def lines_of(name: str, message: Any, read: Read) -> Iterator[str]:
    """Yield what is read of a message, and below it what each wrong field changes in that."""
    right = read(message)
    yield f"{name}: {said(right)}"
    for place in places(message):
        told = [
            (outcome(right, read(with_wrong(message, place, wrong))), name_of(wrong))
            for wrong in wrong_values(value_at(message, place))
        ]
        path = ".".join(map(str, place))
        for changes, same in groupby(sorted(told), key=lambda pair: pair[0]):
            if changes:
                yield f"  {path} = {' | '.join(wrong for _, wrong in same)}: {changes}"


def name_of(wrong: Any) -> str:
    return "missing" if wrong is MISSING else said(wrong, 30)


def dumped(packets: Iterable[Any]) -> Any:
    return json.loads(json.dumps([packet.model_dump(mode="json") for packet in packets]))


# -- packets of streams ----------------------------------------------------------

STREAMS = sorted({file.stem.partition("-")[0] for file in golden.PACKETS.glob("*.json")})


def test_all_golden_packets_are_of_these_streams() -> None:
    assert STREAMS == ["acp", "build", "s1", "s4"]


@pytest.mark.parametrize("stream", STREAMS)
def test_packets(stream: str) -> None:
    names = sorted(file.stem for file in golden.PACKETS.glob(f"{stream}-*.json"))
    check(
        FOLDER,
        f"packets_{stream}",
        (line for name in names for line in lines_of(name, golden.read(name), _after(name))),
    )


def _after(name: str) -> Read:
    """Return how a golden packet is read after those that came before it."""
    earlier: list[Any] = []
    before = golden.load(name).get("after")
    while before:
        earlier.insert(0, golden.read(before))
        before = golden.load(before).get("after")

    def read(raw: Any) -> Any:
        state = ParseState()
        for packet in earlier:
            parse_packet(packet, state)
        return dumped([parse_packet(raw, state)])

    return read


# -- messages of agents ----------------------------------------------------------


def full(schema: Schema, depth: int = 0) -> Iterator[Any]:
    """Yield a value with every field, for each way to meet a schema."""
    for flat in alternatives(schema):
        if "const" in flat or "enum" in flat:
            yield flat.get("const", flat.get("enum", [None])[0])
            continue
        types = flat.get("type", "object" if flat.get("properties") else "null")
        match types if isinstance(types, str) else types[0]:
            case "string":
                yield "_of_tomorrow" if flat.get("open") else "word"
            case "integer" | "number":
                yield 3
            case "boolean":
                yield True
            case "array":
                yield [*full(flat["items"], depth + 1)] if "items" in flat and depth < 8 else []
            case "object":
                fields = flat.get("properties", {}) if depth < 8 else {}
                yield {name: _first(each, depth) for name, each in fields.items()}
            case _:
                yield None


def _first(schema: Schema, depth: int) -> Any:
    return next((value for value in full(schema, depth + 1) if value is not None), None)


def test_messages_of_the_schema() -> None:
    lines: list[str] = []
    for message in messages_of_agents():
        values = {json.dumps(value): value for value in full(message.schema)}
        for value in values.values():
            lines += lines_of(message.name, value, partial(_read, message))
    check(FOLDER, "schema", lines)


def _read(message: Message, value: Any) -> Any:
    return dumped(read_message(message, value))


# -- recorded agents -------------------------------------------------------------

AGENTS = sorted({file.stem.partition("-")[0] for file in TRAFFIC.glob("*.jsonl")})


@pytest.mark.parametrize("agent", AGENTS)
def test_messages_of_an_agent(agent: str) -> None:
    """One message of each shape that its recordings hold, after the requests that it answers."""
    seen: set[str] = set()
    lines: list[str] = []
    files = sorted(file for folder in (TRAFFIC, RECORDED) for file in folder.glob(f"{agent}-*"))
    for file in files:
        asked: dict[tuple[str, Any], Any] = {}
        for line in map(json.loads, file.read_text().splitlines()):
            side, message = line["d"], line["m"]
            if side == "!":
                continue
            if "method" in message:
                asked[side, message.get("id")] = message
                request = None
            else:
                request = asked.get(("<" if side == ">" else ">", message.get("id")))
            shape = json.dumps([side, shape_of(message), (request or {}).get("method")])
            if shape not in seen:
                seen.add(shape)
                name = f"{file.stem} {len(lines)}"
                lines += lines_of(name, message, partial(_entry, side, request))
    check(FOLDER, f"agent_{agent}", lines)


def shape_of(value: Any, key: str = "") -> Any:
    """Return what tells messages apart: fields, and the words of those that name a kind."""
    if isinstance(value, dict):
        return {name: shape_of(value[name], name) for name in sorted(value)}
    if isinstance(value, list):
        return [shape_of(item) for item in value[:1]]
    return value if key in KINDS else type(value).__name__


KINDS = {"method", "sessionUpdate", "type", "kind", "status", "toolName", "stopReason", "outcome"}


def _entry(side: Direction, request: Any, message: Any) -> Any:
    reader = TrafficReader()
    if request is not None:
        reader.read(TrafficEntry(1, 1.0, "<" if side == ">" else ">", request))
    entry = TrafficEntry(2, 2.0, side, message, None if request is None else 1)
    try:
        return dumped(reader.read(entry))
    except Exception as error:  # noqa: BLE001 - told in the golden file, where a reader sees it
        return f"{type(error).__name__}: {error}"


# -- logs that others have written -------------------------------------------------


LINES = 6
"""Of each log: both directions, a call, its answer and an update are among them."""


def test_lines_of_logs() -> None:
    lines: list[str] = []
    for file in sorted(LOGS.iterdir()):
        for number, line in enumerate(file.read_text().splitlines()[:LINES]):
            with suppress(ValueError):
                if isinstance(value := json.loads(line), dict):
                    lines += lines_of(f"{file.name} {number}", value, _logged)
    check(FOLDER, "logs", lines)


@pytest.mark.parametrize("name", ["tee.log", "zed.json"])
def test_logs_with_one_line_gone_or_cut(name: str) -> None:
    text = (LOGS / name).read_text().splitlines()
    lines: list[str] = []
    for number, line in enumerate(text):
        for what, wrong in (("gone", []), ("cut", [line[: len(line) // 2]]), ("twice", [line] * 2)):
            read = _logged_text([*text[:number], *wrong, *text[number + 1 :]])
            lines.append(f"{number} {what}: {cut('; '.join(read), 3 * MAX)}")
    check(FOLDER, f"log_{name.partition('.')[0]}", lines)


def _logged(value: Any) -> Any:
    return _logged_text([json.dumps(value)])


def _logged_text(lines: list[str]) -> list[str]:
    return [_told(found) for found in read_log(lines, 100.0)]


def _told(found: TrafficEntry | LogProblem) -> str:
    if isinstance(found, LogProblem):
        return f"line {found.line}: {found.message}"
    message = said(found.message, 40)
    return f"{found.seq} {found.t} {found.direction} {found.re} {message} {len(found.raw)}"
