"""Logs of ACP traffic in the forms that people have."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.protocol.json import read_json
from acp_jupyter.protocol.log import read_log, time_in_text, to_epoch
from acp_jupyter.protocol.log_json import LogProblem
from acp_jupyter.protocol.normalise import normalise
from acp_jupyter.protocol.packets import AgentMessageChunk
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from tests.support.log.recorded import TRAFFIC

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
"""One conversation, as ten tools write it down."""

FIRST = 1782522123.25


def read(lines: Iterable[bytes | str], start: float = 0.0) -> list[TrafficEntry]:
    found = list(read_log(lines, start))
    assert not [item for item in found if isinstance(item, LogProblem)]
    return [item for item in found if isinstance(item, TrafficEntry)]


def problems(*lines: bytes | str) -> list[LogProblem]:
    return [item for item in read_log(lines) if isinstance(item, LogProblem)]


def one(line: object) -> TrafficEntry:
    (entry,) = read([json.dumps(line)])
    return entry


def said(entries: Iterable[TrafficEntry]) -> list[tuple[str, dict[str, Any]]]:
    # Zed's copy has no "jsonrpc".
    return [(e.direction, {"jsonrpc": "2.0", **e.message}) for e in entries if e.direction in "<>"]


def lines_of(name: str) -> list[bytes]:
    return (LOGS / name).read_bytes().splitlines(keepends=True)


def own() -> list[TrafficEntry]:
    return read(lines_of("own.ndjson"))


@pytest.mark.parametrize("path", sorted(LOGS.iterdir()), ids=lambda path: path.stem)
def test_every_form_gives_the_same_conversation(path: Path) -> None:
    entries = read(lines_of(path.name), start=FIRST)
    assert said(entries) == said(own())
    assert [e.seq for e in entries] == list(range(1, len(entries) + 1))
    methods = {e.seq: e.message.get("method") for e in entries}
    answered = [methods[e.re] for e in entries if e.re is not None]
    assert answered == [
        "initialize",
        "session/new",
        "session/request_permission",
        "session/prompt",
    ]


@pytest.mark.parametrize("path", sorted(LOGS.iterdir()), ids=lambda path: path.stem)
def test_times_are_seconds_since_the_epoch(path: Path) -> None:
    entries = read(lines_of(path.name), start=FIRST)
    times = [e.t for e in entries]
    if path.stem in {"bare", "zed"}:  # these say nothing of time
        assert set(times) == {FIRST}
    else:
        assert times == pytest.approx([FIRST + n for n in range(len(times))], abs=0.01)


def test_what_the_agent_wrote_to_stderr_is_kept() -> None:
    entries = read(lines_of("zed.json"))
    (note,) = [e.message for e in entries if e.direction == "!"]
    assert note == {"note": "noise", "text": "brush: dry"}


@pytest.mark.parametrize("path", sorted(TRAFFIC.glob("*.jsonl")), ids=lambda path: path.stem)
@pytest.mark.parametrize("form", ["recorder", "bare", "wrapped", "agent"])
def test_what_published_agents_sent(path: Path, form: str) -> None:
    """Directions and answered requests follow from the messages alone, too."""
    recorded = [json.loads(line) for line in path.read_text().splitlines()]
    lines = {
        "recorder": recorded,
        "bare": [line["m"] for line in recorded if line["d"] != "!"],
        "wrapped": [
            {"time": line["t"], "direction": {">": "sent", "<": "received"}[line["d"]]}
            | {"message": json.dumps(line["m"])}
            for line in recorded
            if line["d"] != "!"
        ],
        "agent": [
            {"dir": {">": "in", "<": "out"}[line["d"]], "msg": line["m"]}
            for line in recorded
            if line["d"] != "!"
        ],
    }[form]
    entries = read(json.dumps(line) for line in lines)
    assert said(entries) == [(line["d"], line["m"]) for line in recorded if line["d"] != "!"]
    assert all(e.re is not None for e in entries if "method" not in e.message)


def test_files_may_have_the_old_name_of_the_update() -> None:
    """A file may have the old method name; it is read as session/update."""
    content = {"type": "text", "text": "a"}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    params = {"sessionId": "s", "update": update}
    for method in ("acp/notification/session_update", "session/update"):
        entry = one({"jsonrpc": "2.0", "method": method, "params": params})
        assert entry.direction == "<"
        assert [part["method"] for part in normalise(entry.message)] == ["session/update"]
        (packet,) = TrafficReader().read(entry)
        assert isinstance(packet, AgentMessageChunk)
        assert packet.text == "a"
    assert one(params).direction == "<"
    assert one(update).direction == "<"


def test_ids_of_both_sides_are_separate_and_may_be_text() -> None:
    lines = [
        {"id": "7", "method": "session/prompt", "params": {}},
        {"id": 7, "method": "fs/read_text_file", "params": {}},
        {"id": 7, "result": {"content": "x"}},
        {"id": 7, "method": "terminal/release", "params": {}},
        {"id": "7", "result": None},
        {"id": 7, "result": {"stopReason": "end_turn"}},
        {"id": 7, "result": {}},
    ]
    entries = read(json.dumps(line) for line in lines)
    assert [(e.direction, e.re) for e in entries] == [
        (">", None),
        ("<", None),
        (">", 2),
        ("<", None),
        (">", 4),
        ("<", 1),
        ("<", None),
    ]


def test_a_new_process_answers_no_request_of_the_one_before() -> None:
    lines = [
        {"id": 3, "method": "session/prompt", "params": {}},
        {"id": 0, "method": "initialize", "params": {}},
        {"id": 3, "method": "fs/read_text_file", "params": {}},
        {"id": 3, "result": {}},
    ]
    assert [e.re for e in read(json.dumps(line) for line in lines)] == [None, None, None, 3]


@pytest.mark.parametrize(
    ("marks", "direction"),
    [
        ({"direction": "outgoing"}, ">"),
        ({"direction": "INBOUND"}, "<"),
        ({"dir": "c2a"}, ">"),
        ({"from": "agent"}, "<"),
        ({"to": "agent"}, ">"),
        ({"direction": "Client → Agent"}, ">"),
        ({"direction": "server-to-desktop"}, "<"),
        ({"stream": "stdin"}, ">"),
        ({"direction": "sideways"}, "<"),
    ],
)
def test_marks(marks: dict[str, str], direction: str) -> None:
    message = {"jsonrpc": "2.0", "method": "_vendor/thing", "params": {}}
    assert one({**marks, "data": message}).direction == direction
    prompt = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {}}
    assert one({**marks, "data": prompt}).direction == ">"


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        ("2026-06-27T01:02:03.25Z", FIRST),
        ("2026-06-27T03:02:03.250000000+02:00", FIRST),
        ("2026-06-27 01:02:03,250", FIRST),
        (FIRST, FIRST),
        (FIRST * 1e3, FIRST),
        (str(int(FIRST * 1e3)), FIRST),
        (FIRST * 1e6, FIRST),
        (FIRST * 1e9, FIRST),
        (2.5, 102.5),
        (-1, 100.0),
        (True, 100.0),
        (1e300, 100.0),
        ("soon", 100.0),
        ("0001-01-01T00:00:00", 100.0),
        (10**400, 100.0),
        (None, 100.0),
    ],
)
def test_times(time: object, seconds: float) -> None:
    message = {"jsonrpc": "2.0", "method": "session/cancel", "params": {}}
    (entry,) = read([json.dumps({"timestamp": time, "message": message})], start=100.0)
    assert entry.t == pytest.approx(seconds, abs=0.001)


def test_an_absurd_time_is_that_of_the_line_before() -> None:
    lines = [json.dumps({"t": t, "d": ">", "m": {"method": "session/cancel"}}) for t in (9.5, -3)]
    assert [e.t for e in read(lines)] == [9.5, 9.5]


def test_a_time_without_a_zone_is_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert to_epoch("2026-06-27T01:02:03.25") == FIRST
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("key", "divisor"),
    [
        *(("ts_ms", 1e3), ("millis", 1e3), ("time_us", 1e6), ("micros", 1e6)),
        *(("unix_ns", 1e9), ("Nanos", 1e9)),
    ],
)
def test_the_key_of_a_time_says_its_unit(key: str, divisor: float) -> None:
    assert to_epoch(FIRST * divisor, key) == pytest.approx(FIRST, abs=0.001)
    assert to_epoch(2.5 * divisor, key, 100.0) == 102.5


def test_a_small_number_counts_from_the_beginning() -> None:
    assert to_epoch(2.5) == 2.5
    assert to_epoch(2.5, start=100.0) == 102.5
    assert to_epoch(999_999_999, start=5.0) == 1_000_000_004
    assert to_epoch(1_000_000_000, start=5.0) == 1_000_000_000


def test_the_time_of_a_message_counts_more_than_what_stands_before_it() -> None:
    message = {"jsonrpc": "2.0", "method": "session/cancel", "params": {}}
    own = json.dumps({"timestamp": FIRST, "message": message})
    (with_own,) = read([f"2030-01-01T00:00:00Z {own}"])
    assert with_own.t == FIRST
    (without,) = read([f"2026-06-27T01:02:03.25Z {json.dumps(message)}"])
    assert without.t == FIRST
    assert time_in_text("Some words") == ""


def test_which_way_out_is_the_marks_of_known_messages_tell() -> None:
    """A line that has no mark, or says who it is for, tells nothing of other marks."""
    vendor = {"jsonrpc": "2.0", "method": "_vendor/thing", "params": {}}
    prompt = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {}}
    for marks in ({}, {"from": "agent"}):
        entries = read(
            map(json.dumps, [{**marks, "data": prompt}, {"direction": "out", "data": vendor}])
        )
        assert [entry.direction for entry in entries] == [">", ">"], marks
    entries = read(
        map(json.dumps, [{"direction": "in", "data": prompt}, {"direction": "out", "data": vendor}])
    )
    assert [entry.direction for entry in entries] == [">", "<"]


def test_numbers_without_answers_are_completed() -> None:
    lines = [
        {"seq": 4, "t": 1, "d": ">", "m": {"id": 1, "method": "session/prompt"}},
        {"seq": 9, "t": 1, "d": "<", "m": {"id": 1, "result": {}}},
        {"seq": 10, "t": 1, "d": "<", "re": 4, "m": {"id": 1, "result": {}}},
        {"seq": 11, "t": 1, "d": "<", "re": 11, "m": {"id": 1, "result": {}}},
    ]
    assert [e.re for e in read(json.dumps(line) for line in lines)] == [None, 4, 4, None]


def test_numbers_begin_with_one() -> None:
    lines = [
        {"seq": seq, "t": 1, "d": ">", "m": {"method": "session/cancel"}} for seq in (0, 4, -1, 6)
    ]
    assert [e.seq for e in read(json.dumps(line) for line in lines)] == [1, 4, 5, 6]


def test_two_logs_in_one_file_are_numbered_on() -> None:
    entries = [*own(), *own()]
    lines = lines_of("own.ndjson")
    both = read([*lines, *lines])
    count = len(lines)
    assert [e.seq for e in both] == list(range(1, 2 * count + 1))
    assert [e.re for e in both[count:]] == [
        None if e.re is None else e.re + count for e in entries[count:]
    ]


def test_a_second_log_that_begins_with_a_note_is_numbered_on() -> None:
    call = {"seq": 1, "t": 1, "d": ">", "m": {"method": "session/cancel"}}
    note = {"seq": 1, "t": 1, "d": "!", "m": {"note": "noise", "text": "a"}}
    entries = read(json.dumps(line) for line in (call, note, {**call, "seq": 2}))
    assert [e.seq for e in entries] == [1, 2, 3]


UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{}}'
NOT_JSON = "This is not JSON ({} at character {})."


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            b'{"jsonrpc":"2.0","method":"sess',
            NOT_JSON.format("Unterminated string starting at", 27),
        ),
        ("Everything went well.", NOT_JSON.format("Expecting value", 1)),
        ("17", "This is not a JSON object, so it is not a message."),
        ("[]", "This is not a JSON object, so it is not a message."),
        ('{"answer": 42}', "No JSON-RPC message is in this line."),
        ('{"t":1,"d":"<","m":"Hello"}', "A direction without a message."),
        ('{"t":1,"d":"<","m":[]}', "A direction without a message."),
        ('{"t":1,"d":"!","m":{"mood":"good"}}', "A note that this version does not know."),
        (
            '{"direction":"in","method":"session/update","outcome":"ok"}',
            "The line names session/update, but does not have its message.",
        ),
        ("[" * 100_000, "The JSON is nested too deeply."),
        ("x" * (64 * 1024 * 1024 + 1), "The line is longer than 67,108,864 characters."),
        (
            f'{{"direction":"in","data":"{"x" * 10_000_000}"',
            NOT_JSON.format("Expecting ',' delimiter", 10_000_028),
        ),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_bad_line_is_a_problem_and_the_next_one_is_read(line: bytes | str, words: str) -> None:
    found = list(read_log([UPDATE, line, "", UPDATE]))
    (problem,) = [item for item in found if isinstance(item, LogProblem)]
    assert problem.line == 2
    assert problem.message == words
    assert len(found) == 3


def test_bytes_that_are_no_utf8_are_replaced_and_told_of() -> None:
    found = list(read_log([b'{"method":"session/cancel","params":{"why":"\xff"}}']))
    assert found[0] == LogProblem(1, "Bytes that are not UTF-8 were replaced.")
    assert isinstance(found[1], TrafficEntry)
    assert found[1].message["params"] == {"why": "\ufffd"}


def test_lone_surrogates_do_not_come_through() -> None:
    for line in (UPDATE.replace("{}", '{"a":"\\ud83d"}'), UPDATE.replace("{}", '{"a":"\ud83d"}')):
        (entry,) = read([line])
        assert json.dumps(entry.message, ensure_ascii=False).encode()


def test_a_torn_print_is_told_of_and_what_follows_is_read() -> None:
    whole = lines_of("zed.json")
    assert problems(*whole[:30]) == [LogProblem(26, "The object that begins here is not closed.")]
    assert problems(*whole[:-1]) == [
        LogProblem(1, "The array is not closed. What is in it was read.")
    ]
    found = list(read_log(["{", '  "jsonrpc": "2.0",', UPDATE]))
    assert found[0] == LogProblem(1, "The object that begins here is not closed.")
    assert isinstance(found[1], TrafficEntry)
    assert problems("[", "  1,", UPDATE, "]")[0].line == 2


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
_values = st.one_of(
    st.sampled_from([">", "<", "!", "in", "out", "stderr", "session/prompt", "2.0", 1, "1", {}]),
    _json,
)
_NAMES = (
    "t d m seq re jsonrpc id method params result error update sessionUpdate message direction "
    "_direction _type ts line data frame to from note event"
)
_names = st.sampled_from(_NAMES.split())
_records = st.recursive(
    st.dictionaries(_names, _values, max_size=5),
    lambda inner: st.dictionaries(_names, inner | _values | inner.map(json.dumps), max_size=5),
    max_leaves=4,
)


@given(st.lists(st.one_of(st.binary(), st.text(), _records.map(json.dumps)), max_size=6))
def test_nothing_raises_and_what_comes_can_be_written(lines: list[bytes | str]) -> None:
    found = list(read_log(lines))
    entries = [item for item in found if isinstance(item, TrafficEntry)]
    assert [e.seq for e in entries] == sorted({e.seq for e in entries})
    assert all(e.re is None or e.re < e.seq for e in entries)
    for entry in entries:
        json.dumps(dict(entry.message), allow_nan=False, ensure_ascii=False).encode()


@given(st.one_of(st.binary(), st.text(), _records.map(json.dumps), _json.map(json.dumps)))
def test_no_line_is_dropped_without_a_word(line: bytes | str) -> None:
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
    steps = '"event"' in text and '"!"' in text  # the recorder's own
    assert list(read_log([line])) or not text.removeprefix("\ufeff").strip() or steps


@given(st.lists(st.tuples(st.sampled_from("<>!"), _records), max_size=8))
def test_our_own_form_is_read_as_it_was_written(messages: list[tuple[str, Any]]) -> None:
    written = [json.dumps({"seq": 3, "t": FIRST, "d": d, "m": m}) for d, m in messages]
    entries = read(written)
    assert [(e.direction, e.t) for e in entries] == [(d, FIRST) for d, _ in messages]
    shown = [json.dumps(dict(e.message)) for e in entries]
    assert shown == [json.dumps(read_json(line)["m"]) for line in written]


@pytest.mark.parametrize("form", ["text", "bytes"])
def test_a_byte_order_mark_before_an_array_is_none_of_it(form: str) -> None:
    message = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {}})
    lines = ["\ufeff[\n", f"{message}\n", "]\n"]
    given = [line.encode() if form == "bytes" else line for line in lines]
    assert [entry.direction for entry in read(given)] == ["<"]


@pytest.mark.parametrize(
    "inner",
    [
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "source": "agent"},
        {"entry": {"jsonrpc": "2.0"}},
        {"source": "agent", "entry": {"jsonrpc": "2.0"}},
    ],
    ids=str,
)
def test_the_outermost_mark_says_who_spoke(inner: dict[str, Any]) -> None:
    """What wraps a wrapper was written by the one who saw the line pass."""
    message = inner.get("entry", inner)
    message |= {"method": "_vendor/hello", "params": {}}
    assert one({"direction": "client_to_agent", "payload": inner}).direction == ">"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            [
                b'\xef\xbb\xbf[{"jsonrpc": "2.0", "method": "a"}]',
                b'\xef\xbb\xbf[{"jsonrpc": "2.0", "method": "b"}]',
            ],
            ["a", "b"],
        ),
        (
            [
                '\ufeff[{"jsonrpc": "2.0", "method": "a"}]',
                '\ufeff[{"jsonrpc": "2.0", "method": "b"}]',
            ],
            ["a", "b"],
        ),
        (
            [b'{"jsonrpc": "2.0", "method": "a\xff"}'],
            ["Bytes that are not UTF-8 were replaced.", "a\ufffd"],
        ),
    ],
)
def test_marks_and_bytes_that_are_no_text(lines: list[bytes | str], told: list[str]) -> None:
    """Each of several files in one begins with its mark."""
    found = [each.message for each in read_log(lines, 0.0)]
    assert [each if isinstance(each, str) else each["method"] for each in found] == told
