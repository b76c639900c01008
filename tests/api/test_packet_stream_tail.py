"""A log that is read while it is written."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.packet_stream import PacketStream
from acp_jupyter.dialects.onyx.event_stream import SseDecoder
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.log_reader import read_entry
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.server import streams as packet_stream_tail
from acp_jupyter.server.streams import PacketTail
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS


def chunk(number: int, text: str) -> TrafficEntry:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    params = {"sessionId": "a1", "update": update}
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return TrafficEntry(number, 1e9 + number, "<", message)


def ids(events: bytes) -> list[int]:
    return [int(event.id) for event in SseDecoder().feed(events)]


@contextmanager
def tailing(path: Path, after: int = 0) -> Iterator[PacketTail]:
    with closing(PacketTail(path, PacketStream("s1", after=after))) as tail:
        yield tail


def drained(tail: PacketTail) -> list[int]:
    found = []
    while True:
        batch = tail.read()
        found += ids(batch.events)
        if not batch.more:
            return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s" / "traffic.ndjson"


def test_what_is_added_is_read_on(path: Path) -> None:
    log = TrafficLog(path, Limits())
    with tailing(path) as tail:
        assert drained(tail) == []
        for number in (1, 2, 3):
            log.append(chunk(number, "x"))
            assert log.flush(FOREVER_SECONDS)
            assert drained(tail) == [number]
    log.close()


def test_a_line_that_is_half_written_is_read_when_it_is_whole(path: Path) -> None:
    log = TrafficLog(path, Limits())
    log.append(chunk(1, "Grüße"))
    log.close()
    whole = path.read_bytes()
    path.write_bytes(b"")
    with tailing(path) as tail, path.open("ab", buffering=0) as file:
        for number in range(len(whole)):
            assert drained(tail) == []
            file.write(whole[number : number + 1])
        file.write(b"no line\n\n" + b'{"seq": 2}\n' + whole)
        assert drained(tail) == [1, 2]


def test_much_is_read_in_pieces(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packet_stream_tail, "_SENT_BYTES", 1000)
    log = TrafficLog(path, Limits())
    for number in range(1, 101):
        log.append(chunk(number, "x" * 50))
    log.close()
    with tailing(path) as tail, tailing(path, 97) as behind:
        first = tail.read()
        assert first.more
        assert 0 < len(ids(first.events)) < 10
        assert ids(first.events) + drained(tail) == list(range(1, 101))
        assert drained(behind) == [98, 99, 100]


def test_memory_does_not_grow_with_the_log(path: Path) -> None:
    log = TrafficLog(path, Limits())
    for number in range(1, 3001):
        log.append(chunk(number, "x" * 2000))
    log.close()
    with tailing(path, 10**6) as tail:
        tail.read()
        tracemalloc.start()
        drained(tail)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert path.stat().st_size > 6_000_000
    assert peak < 1_000_000


def test_nothing_follows_the_line_that_says_that_the_log_is_full(path: Path) -> None:
    log = TrafficLog(path, Limits(traffic_log_bytes=1000))
    for number in range(1, 20):
        log.append(chunk(number, "x" * 50))
    log.close()
    stream = PacketStream("s1")
    with closing(PacketTail(path, stream)) as tail:
        events = tail.read().events
        assert stream.full
        lines = path.read_bytes().splitlines()
        assert ids(events) == list(range(1, len(lines) + 1))
        assert b"The session continues" in events.splitlines()[-2]
        path.write_bytes(path.read_bytes() + lines[0] + b"\n")
        assert drained(tail) == []


def test_a_log_wakes_its_watchers_when_lines_are_in_the_file(path: Path) -> None:
    log = TrafficLog(path, Limits())
    seen: list[tuple[int, bool]] = []
    woken = threading.Event()

    def wake() -> None:
        seen.append((path.read_bytes().count(b"\n"), log.ended))
        woken.set()

    log.watch(wake)
    log.append(chunk(1, "x"))
    assert woken.wait(PATIENCE_SECONDS)
    assert seen[-1] == (1, False)
    log.close()
    assert seen[-1] == (1, True)
    log.unwatch(wake)
    count = len(seen)
    other = TrafficLog(path, Limits())
    other.close()
    assert len(seen) == count


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"seq": "1", "t": 1, "d": "<", "m": {}}',
        b'{"seq": 1, "t": 1, "d": "?", "m": {}}',
        b'{"seq": 1, "t": null, "d": "<", "m": {}}',
        b'{"seq": 1, "t": 1, "d": "<", "m": []}',
    ],
)
def test_a_line_that_is_no_entry_is_none(line: bytes) -> None:
    assert read_entry(line) is None


def test_an_entry_is_read_as_it_was_written(path: Path) -> None:
    log = TrafficLog(path, Limits())
    request = TrafficEntry(1, 1e9 + 0.5, ">", {"id": 1, "method": "initialize"})
    answer = TrafficEntry(2, 1e9, "<", {"id": 1, "result": {"text": "🎉\ud800"}}, 1)
    for entry in (request, answer):
        log.append(entry)
    log.close()
    first, second = (read_entry(line) for line in path.read_bytes().splitlines())
    assert first == request
    assert second == answer._replace(message={"id": 1, "result": {"text": "🎉?"}})
