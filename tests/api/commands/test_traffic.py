"""Pages of a traffic log, forwards and backwards, filtered, with lines of any length."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_jupyter.api.commands import traffic
from acp_jupyter.api.commands.traffic import read_line, read_page, read_text
from acp_jupyter.api.models.traffic import GetTraffic, TrafficLine
from acp_jupyter.errors import BadRequest
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.traffic import Direction, TrafficEntry
from acp_jupyter.transcript.redactor import Redactor
from tests.support.wait import FOREVER_SECONDS

Json = dict[str, object]


def entries(*told: tuple[Direction, Json]) -> list[TrafficEntry]:
    return [TrafficEntry(n, 1000.5 + n, side, message) for n, (side, message) in enumerate(told, 1)]


def log(folder: Path, lines: list[TrafficEntry]) -> Path:
    path = folder / "s" / "traffic.ndjson"
    writer = TrafficLog(path, Limits())
    for line in lines:
        writer.append(line)
    assert writer.flush(FOREVER_SECONDS)
    writer.close()
    return path


def chunk(text: str, message_id: str | None = None) -> tuple[Direction, Json]:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    if message_id is not None:
        update["messageId"] = message_id
    return "<", {"method": "session/update", "params": {"sessionId": "a", "update": update}}


def asked(**more: object) -> GetTraffic:
    return GetTraffic.model_validate({"session_id": "s", **more})


def forwards(path: Path, **more: object) -> list[TrafficLine]:
    lines: list[TrafficLine] = []
    place = 0
    while True:
        page = read_page(path, asked(after=place, **more))
        lines += page.lines
        if page.end == page.size:
            return lines
        assert page.end > place
        place = page.end


def backwards(path: Path, **more: object) -> list[TrafficLine]:
    page = read_page(path, asked(**more))
    lines = list(page.lines)
    while page.start:
        former, page = page.start, read_page(path, asked(before=page.start, **more))
        assert (page.end, page.start < former) == (former, True)
        lines = [*page.lines, *lines]
    return lines


def test_a_line_in_short(tmp_path: Path) -> None:
    opening: Json = {"note": "session_opened", "session_id": "s"}
    prompt: Json = {"id": 3, "method": "session/prompt", "params": {"prompt": "Go."}}
    lines = [
        *entries(("!", opening), (">", prompt), chunk("Hello")),
        TrafficEntry(4, 1004.5, "<", {"id": 3, "result": {"stopReason": "end_turn"}}, re=2),
        TrafficEntry(5, 1005.5, "<", {"id": 9, "error": {"code": 1, "message": "no"}}, re=77),
    ]
    path = log(tmp_path, lines)
    told = read_page(path, asked()).lines
    shown = [(line.seq, line.direction, line.kind, line.method, line.update) for line in told]
    assert shown == [
        (1, "!", "note", "session_opened", ""),
        (2, ">", "request", "session/prompt", ""),
        (3, "<", "notification", "session/update", "agent_message_chunk"),
        (4, "<", "response", "session/prompt", ""),
        (5, "<", "error", "", ""),
    ]
    assert [line.at for line in told] == [1000.5 + n for n in range(1, 6)]
    assert sum(line.size for line in told) == path.stat().st_size
    assert [line.preview for line in told[:3]] == [
        '{"session_id": "s"}',
        '{"prompt": "Go."}',
        "Hello",
    ]
    assert told[3].preview == '{"stopReason": "end_turn"}'
    assert json.loads(read_line(path, told[1].place).text) == prompt


@pytest.mark.parametrize(
    ("filters", "texts"),
    [
        ({"direction": ">"}, ["out"]),
        ({"direction": "!"}, ["note"]),
        ({"method": "PROMPT"}, ["out"]),
        ({"method": "message_chunk"}, ["Grün", "last"]),
        ({"text": "GRÜN"}, ["Grün"]),
        ({"text": "grün", "direction": ">"}, []),
        ({"text": "a", "method": "session/update"}, ["Grün", "last"]),
    ],
)
def test_filters(tmp_path: Path, filters: Json, texts: list[str]) -> None:
    prompt: Json = {"id": 3, "method": "session/prompt", "params": {"prompt": "out"}}
    note: Json = {"note": "host_notice", "text": "note"}
    path = log(tmp_path, entries((">", prompt), chunk("Grün"), ("!", note), chunk("last")))
    for lines in (forwards(path, **filters), backwards(path, **filters)):
        previews = [line.preview for line in lines]
        assert len(previews) == len(texts)
        assert all(text in preview for text, preview in zip(texts, previews, strict=True))


@settings(max_examples=30)
@given(
    sizes=st.lists(st.integers(0, 400), min_size=1, max_size=60),
    limit=st.integers(1, 20),
    look=st.sampled_from([1, 300, 5000]),
)
def test_every_line_comes_once_in_both_directions(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], limit: int, look: int
) -> None:
    path = log(tmp_path_factory.mktemp("log"), entries(*(chunk("x" * size) for size in sizes)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traffic, "_SCAN_BYTES", look)
        patch.setattr(traffic, "_BLOCK", 100)
        numbers = list(range(1, len(sizes) + 1))
        assert [line.seq for line in forwards(path, limit=limit)] == numbers
        assert [line.seq for line in backwards(path, limit=limit)] == numbers


@settings(max_examples=30)
@given(
    kinds=st.lists(st.sampled_from("aab!"), min_size=1, max_size=60),
    limit=st.integers(1, 5),
    look=st.sampled_from([1, 300, 5000]),
)
def test_chunks_of_one_stream_are_gathered(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], limit: int, look: int
) -> None:
    note: Json = {"note": "host_notice", "text": "note"}
    said: tuple[Direction, Json] = ("!", note)
    told = [said if kind == "!" else chunk(kind, message_id=kind) for kind in kinds]
    path = log(tmp_path_factory.mktemp("log"), entries(*told))
    runs = [(kind, list(run)) for kind, run in groupby(kinds)]
    whole = [
        (kind, n) for kind, run in runs for n in ([len(run)] if kind != "!" else [1] * len(run))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traffic, "_SCAN_BYTES", look)
        patch.setattr(traffic, "_BLOCK", 100)
        for lines in (
            forwards(path, limit=limit, gather=True),
            backwards(path, limit=limit, gather=True),
        ):
            assert sum(line.size for line in lines) == path.stat().st_size
            assert sum(line.count for line in lines) == len(kinds)
    lines = forwards(path, limit=500, gather=True)
    assert [("!" if not each.stream else each.preview[0], each.count) for each in lines] == whole
    for line in lines:
        if line.stream:
            text = read_text(path, line.place, line.place + line.size, Redactor())
            assert (text.text, text.cut) == (line.preview[0] * line.count, False)


def test_what_is_not_shown_parts_gathered_chunks(tmp_path: Path) -> None:
    path = log(tmp_path, entries(chunk("one"), chunk("two"), chunk("one")))
    lines = forwards(path, gather=True, text="one")
    assert [(line.preview, line.count) for line in lines] == [("one", 1), ("one", 1)]


def test_a_page_of_a_long_log_looks_at_a_part_of_it(tmp_path: Path) -> None:
    path = log(tmp_path, entries(*(chunk(f"{n} " + "x" * 4000) for n in range(6000))))
    page = read_page(path, asked(text="0 x", method="nothing"))
    assert page.lines == ()
    assert 0 < page.start < page.end == page.size
    assert page.size - page.start < 20 * 1024 * 1024
    assert [line.seq for line in read_page(path, asked(limit=2)).lines] == [5999, 6000]


def test_a_line_that_is_still_being_written_is_not_told(tmp_path: Path) -> None:
    path = log(tmp_path, entries(chunk("one"), chunk("two")))
    with path.open("ab") as file:
        file.write(b'{"seq":3,"t":1.0,"d":"<","m":{"method":"session/up')
    page = read_page(path, asked(after=0))
    assert [line.seq for line in page.lines] == [1, 2]
    assert page.end == page.size
    with path.open("ab") as file:
        file.write(b'date"}}\n')
    assert [line.seq for line in read_page(path, asked(after=page.end)).lines] == [3]
    with pytest.raises(BadRequest):
        read_line(path, path.stat().st_size)


def test_odd_lines_are_told_by_their_beginning(tmp_path: Path) -> None:
    path = log(tmp_path, entries(chunk("x" * 2_000_000)))
    with path.open("ab") as file:
        file.write(b"no json\n\xff\xfe\n\n")
    long, bad, worse, empty = read_page(path, asked(after=0)).lines
    assert (long.seq, long.direction, long.method) == (1, "<", "session/update")
    assert long.preview.startswith('{"method":"session/update"')
    assert (bad.kind, bad.preview) == ("unknown", "no json")
    assert (worse.kind, empty.preview) == ("unknown", "")
    detail = read_line(path, long.place)
    assert detail.cut
    assert detail.text.startswith('{\n  "method": "session/update"')
    assert (read_line(path, bad.place).text, read_line(path, bad.place).cut) == ("no json", False)


def test_a_place_within_a_line_means_its_line(tmp_path: Path) -> None:
    path = log(tmp_path, entries(chunk("one"), chunk("two")))
    first, second = read_page(path, asked(after=0)).lines
    assert read_page(path, asked(after=second.place + 5)).lines == (second,)
    assert read_page(path, asked(before=second.place + 5)).lines == (first,)
    assert read_page(path, asked(after=10**15)).lines == ()
    with pytest.raises(BadRequest):
        read_line(path, second.place + 5)
