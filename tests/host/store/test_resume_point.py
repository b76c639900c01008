"""A session resumes from the point that was saved beside its log as if the log were read whole."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.store.metadata import TRAFFIC_FILE, SessionMeta
from acp_jupyter.host.store.restore import Restored, read_session, resume_journal
from acp_jupyter.host.store.resume_point import DATA_FILE, HEAD_FILE
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState
from acp_jupyter.transcript.redactor import Redactor
from tests.support.generated import examples
from tests.support.host.failing_disk import failing_disk
from tests.support.transcript.any_packets import AGENT_UPDATES

OPENING = SessionOpened(session_id="s", agent_id="a", agent_name="A", cwd="/w", folder="/w")
FACTS = SessionState(
    session_id="s", agent="a", agent_info=AgentInfo(id="a", name="A"), cwd="/w", folder="/w"
)
META = SessionMeta(facts=FACTS)
LIMITS = Limits()
IO = Path("/proc/self/io")


def bytes_read() -> int:
    """Return how many bytes this process has read so far, wherever they were."""
    return int(IO.read_text().split("\n", 1)[0].removeprefix("rchar: "))


class Writer:
    """Writes a session line by line, as its host does; time passes a second a line."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def line(self, direction: str, message: dict[str, Any], re: int | None = None) -> int:
        number = next(self.journal.sequence)
        entry = TrafficEntry(number, float(number), direction, message, re)  # type: ignore[arg-type]
        self.journal.enter(entry)
        return number

    def save(self, least: int = 0) -> None:
        self.journal.flush()  # only what is in the file counts
        asyncio.run(self.journal.save_state(least))

    def turn(self, updates: list[dict[str, Any]], *, ends: bool = True) -> None:
        async def run() -> None:
            self._turn(updates, ends=ends)

        asyncio.run(run())

    def _turn(self, updates: list[dict[str, Any]], *, ends: bool) -> None:
        turn_id = f"t{self.journal.lines}"
        prompt = [{"type": "text", "text": "Do it"}]
        self.line("!", {"note": "turn_queued", "turn_id": turn_id, "prompt": prompt})
        self.line("!", {"note": "turn_started", "turn_id": turn_id})
        asked = {"id": 1, "method": "session/prompt", "params": {"sessionId": "x"}}
        number = self.line(">", asked)
        for update in updates:
            params = {"sessionId": "x", "update": update}
            self.line("<", {"jsonrpc": "2.0", "method": "session/update", "params": params})
        if ends:
            self.line("<", {"id": 1, "result": {"stopReason": "end_turn"}}, number)


@contextmanager
def begun(folder: Path, redactor: Redactor | None = None) -> Iterator[Writer]:
    log = TrafficLog(folder / TRAFFIC_FILE, LIMITS, redactor)
    journal = Journal.begin(OPENING, log, LIMITS, lambda: None)
    try:
        yield Writer(journal)
    finally:
        journal.close()


@contextmanager
def resumed(folder: Path) -> Iterator[Writer]:
    restored = read_session(folder, META)
    redactor = Redactor()
    journal = resume_journal(folder, restored, LIMITS, redactor, lambda: None, lambda: True)
    try:
        yield Writer(journal)
    finally:
        journal.close()


def state(restored: Restored) -> dict[str, Any]:
    """All that a session knows, but for what counts within one run, or in a turn that runs."""
    told = dict(vars(restored.transcript))
    for name in ("seq", "growing", "texts", "evidence"):
        del told[name]
    items = restored.transcript.window(0, len(told["items"]))
    told["items"] = [item.model_dump() for item in items]
    told["session"] = told["session"].model_dump()
    told["turn_order"] = list(told["turn_order"])
    told["terminals"] = {
        name: (each.view, each.items, str(each.waiting), each.has_own_card)
        for name, each in told["terminals"].items()
    }
    for name, value in told.items():
        if name != "background" and hasattr(value, "items"):
            told[name] = dict(value.items())
    return {**told, "reader": restored.reader.saved(), "number": restored.next_number}


def check(folder: Path) -> Restored:
    """Read a session from its resume point, and compare it with its whole log."""
    restored = read_session(folder, META)
    bare = folder.parent / "bare" / "s"
    shutil.rmtree(bare, ignore_errors=True)
    bare.mkdir(parents=True)
    shutil.copy(folder / TRAFFIC_FILE, bare)
    whole = read_session(bare, META)
    assert state(restored) == state(whole)
    return restored


def text(words: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}}


def call(name: str, **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call", "toolCallId": name, "title": name, **fields}


TURNS = st.lists(
    st.tuples(st.lists(AGENT_UPDATES, max_size=6), st.sampled_from(("", "", "save", "restart"))),
    min_size=1,
    max_size=5,
)


@examples(60)
@given(TURNS, st.booleans())
def test_a_resume_point_and_newer_lines_say_what_the_whole_log_says(
    tmp_path_factory: pytest.TempPathFactory,
    turns: list[tuple[list[dict[str, Any]], str]],
    ends: bool,
) -> None:
    folder = tmp_path_factory.mktemp("resume") / "s"

    rest = turns
    while rest:
        with begun(folder) if rest is turns else resumed(folder) as writer:
            then = ""
            while rest and then != "restart":
                (updates, then), *rest = rest
                writer.turn(updates, ends=ends or bool(rest))
                if then:
                    writer.save()
        check(folder)


def test_calls_whose_content_is_replaced_are_in_a_resume_point(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    content = [{"type": "content", "content": {"type": "text", "text": "out"}}]
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": content}
    with begun(folder) as writer:
        writer.turn([call("c"), update, {**update, "status": "in_progress"}])
        writer.save()
    assert check(folder).lines == 0


def long_session(folder: Path, turns: int, every: int = 0) -> None:
    """Write turns of 21 lines; save a resume point after each of ``every`` turns."""

    with begun(folder) as writer:
        for turn in range(turns):
            calls = [call(f"c{turn}-{at}", status="completed", rawInput=at) for at in range(8)]
            texts = [text(f"Answer {turn}.{at}. ") for at in range(8)]
            pairs = zip(texts, calls, strict=True)
            writer.turn([each for pair in pairs for each in pair])
            if every and turn % every == every - 1:
                writer.save()


def test_only_lines_after_the_resume_point_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    long_session(folder, turns=103, every=10)
    restored = check(folder)
    assert restored.lines == 3 * 20
    assert len(restored.transcript.items) == 103 * 18
    with resumed(folder) as writer:
        writer.turn([text("one more")])
        writer.save()
    assert check(folder).lines == 0
    # What was put once is not put again: an item once or twice, a list of places with each point.
    assert (folder / DATA_FILE).stat().st_size < 2 * (folder / TRAFFIC_FILE).stat().st_size


def test_nothing_is_written_before_the_log_has_grown_or_while_something_is_open(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "s"
    with begun(folder) as writer:
        writer.turn([text("a")])
        writer.save(10**6)
        writer.turn([text("b")], ends=False)
        writer.save()
    assert not (folder / HEAD_FILE).exists()
    assert check(folder).lines == 1 + 5 + 4


def test_what_comes_late_is_in_the_next_resume_point(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with begun(folder) as writer:
        started = {"note": "terminal_started", "terminal_id": "x", "command": "make"}
        writer.line("!", started)
        writer.turn([call("c", content=[{"type": "terminal", "terminalId": "x"}])])
        writer.save()
        writer.line("!", {"note": "terminal_output", "terminal_id": "x", "text": "built"})
        writer.save()
    restored = check(folder)
    assert restored.lines == 0
    items = restored.transcript.window(0, len(restored.transcript.items))
    assert "built" in str(items)


def test_a_conversation_in_version_2_goes_on_from_its_resume_point(tmp_path: Path) -> None:
    folder = tmp_path / "s"

    def told(writer: Writer, words: str, *calls: dict[str, Any]) -> None:
        async def run() -> None:
            writer.line("!", {"note": "turn_queued", "turn_id": words, "prompt": []})
            writer.line("!", {"note": "turn_started", "turn_id": words})
            asked = {"id": words, "method": "session/prompt", "params": {"sessionId": "x"}}
            number = writer.line(">", asked)
            writer.line("<", {"id": words, "result": {"messageId": words}}, number)
            for update in (
                {"sessionUpdate": "state_update", "state": "running"},
                text(words),
                *calls,
                {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"},
            ):
                params = {"sessionId": "x", "update": update}
                writer.line("<", {"jsonrpc": "2.0", "method": "session/update", "params": params})

        asyncio.run(run())

    def piece(name: str, words: str) -> dict[str, Any]:
        content = {"type": "content", "content": {"type": "text", "text": words}}
        kind = "tool_call_content_chunk"
        return {"sessionUpdate": kind, "toolCallId": name, "content": content}

    begins = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "Run"}
    with begun(folder) as writer:
        asked = writer.line(">", {"id": 7, "method": "initialize", "params": {}})
        writer.line("<", {"id": 7, "result": {"protocolVersion": 2, "info": {"name": "x"}}}, asked)
        told(writer, "one", begins, piece("c", "a"), piece("c", "b" * 70_000), piece("c", "!"))
        writer.save()
    restored = check(folder)
    assert restored.lines == 0
    assert restored.transcript.session.active_turn_id is None
    (run,) = (item for item in restored.transcript.window(0, 100) if item.kind == "tool_call")
    assert run.output == f"a{'b' * 70_000}!"
    with resumed(folder) as writer:
        told(writer, "two", piece("c", "late"))
    restored = check(folder)
    assert restored.lines > 0
    assert restored.transcript.turns["two"].status == "done"
    assert "late" in str(restored.transcript.window(0, 100)[-2])


@pytest.mark.skipif(not IO.exists(), reason="what is read is counted by Linux")
def test_a_resume_point_costs_what_is_new_and_not_the_log(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with begun(folder) as writer:

        def save() -> int:
            """Return how many bytes were read for a point that stands for 20 kB more."""
            writer.turn([text("x" * 500), *(call(f"c{n}", rawInput="y" * 500) for n in range(30))])
            writer.journal.flush()
            before = bytes_read()
            writer.save()
            return bytes_read() - before

        read = [save() for _ in range(60)]
    assert check(folder).lines == 0
    log = (folder / TRAFFIC_FILE).stat().st_size
    assert max(read[30:]) < 2 * max(read[:30])
    assert sum(read) < 3 * log


def _head(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / HEAD_FILE
        path.write_bytes(change(path.read_bytes()))

    return spoil


def _version(folder: Path) -> None:
    path = folder / HEAD_FILE
    content = path.read_bytes().partition(b"\n")[2].replace(b'"version":"3 ', b'"version":"4 ')
    check = hashlib.sha256(content).hexdigest()
    path.write_bytes(check.encode() + b"\n" + content)


def _flip(name: str, place: float) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / name
        data = bytearray(path.read_bytes())
        data[int(len(data) * place)] ^= 1
        path.write_bytes(bytes(data))

    return spoil


def _shorter_log(folder: Path) -> None:
    path = folder / TRAFFIC_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-8]))


def _other_log(folder: Path) -> None:
    path = folder / TRAFFIC_FILE
    path.write_bytes(path.read_bytes().replace(b"Answer 1.1", b"Answer 9.9"))


@pytest.mark.parametrize(
    "spoil",
    [
        _head(lambda data: b""),
        _head(lambda data: data[:-10]),
        _head(lambda data: data[:40]),
        _head(lambda data: b"[" * 10_000),
        _version,
        _flip(HEAD_FILE, 0.5),
        _flip(DATA_FILE, 0.0),
        _flip(DATA_FILE, 0.5),
        lambda folder: (folder / DATA_FILE).unlink(),
        lambda folder: (folder / DATA_FILE).write_bytes(b""),
        _shorter_log,
        _other_log,
    ],
)
def test_a_resume_point_that_does_not_fit_is_left_aside(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    folder = tmp_path / "s"
    long_session(folder, turns=4, every=4)
    assert check(folder).lines == 0
    spoil(folder)
    lines = len((folder / TRAFFIC_FILE).read_bytes().splitlines())
    assert check(folder).lines == lines
    with resumed(folder) as writer:  # and the next one takes its place
        writer.turn([text("one more")])
        writer.save()
    assert check(folder).lines == 0


def test_a_disk_without_room_costs_no_more_than_time(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    long_session(folder, turns=4, every=2)
    with resumed(folder) as writer:
        writer.turn([text("one more")])
        writer.journal.flush()
        with failing_disk("acp_jupyter.host.store.resume_point") as disk:
            disk.room = 100
            writer.save()
        writer.turn([text("and another")])
    assert check(folder).lines == 2 * 5
    with resumed(folder) as writer:
        writer.save()
    assert check(folder).lines == 0


def test_no_resume_point_holds_what_was_taken_out_of_the_log(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    secret = "a-secret-of-this-test"
    with begun(folder, Redactor([secret])) as writer:
        writer.turn([text(f"It is {secret}.")])
        writer.save()
    assert not (folder / HEAD_FILE).exists()
    with resumed(folder) as writer:
        writer.save()
    assert check(folder).lines == 0
    assert all(secret not in path.read_text(errors="replace") for path in folder.iterdir())


def test_a_torn_last_line_is_read_once(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    long_session(folder, turns=4, every=2)
    with (folder / TRAFFIC_FILE).open("ab") as log:
        log.write(json.dumps({"seq": 99, "t": 99.0, "d": "<", "m": {}}).encode()[:-1])
    with resumed(folder) as writer:
        writer.turn([text("one more")])
        writer.save()
    check(folder)
