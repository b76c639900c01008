"""A log on a disk that fails at any moment, in any way, under servers that end at any moment.

Whatever happens: lines that are there are whole, in order and there once. Where some are missing
the session is not whole, and says so at that place.
"""

from __future__ import annotations

import errno
import itertools
import json
import shutil
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_jupyter.host.limits import Limits
from acp_jupyter.host.store.log_reader import lacks_lines, read_traffic
from acp_jupyter.host.store.metadata import TRAFFIC_FILE, SessionMeta
from acp_jupyter.host.store.restore import read_session
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.session_state import AgentInfo, SessionState
from tests.support.generated import examples
from tests.support.host.failing_disk import FailingDisk, failing_disk
from tests.support.wait import FOREVER_SECONDS, PATIENCE_SECONDS

MODULE = "acp_jupyter.host.store.traffic_log"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)
WAITING = 1500
LIMITS = replace(Limits(), unwritten_bytes=WAITING)
HANGING = replace(LIMITS, queued_bytes=3000)
QUEUED = 500_000


@dataclass(frozen=True)
class Say:
    """Lines are sent."""

    lengths: tuple[int, ...]
    hangs: bool = False
    """Whether the disk answers only after all of them."""


@dataclass(frozen=True)
class Fail:
    """The disk takes so much more, and then nothing."""

    room: int
    error: int
    broken: bool


@dataclass(frozen=True)
class Mend:
    """It takes everything again."""

    short: int


@dataclass(frozen=True)
class Restart:
    """Another server goes on: after an ordinary end, or as after a ``kill -9``."""

    killed: bool


Step = Say | Fail | Mend | Restart

STEPS = st.lists(
    st.one_of(
        st.builds(
            Say, st.lists(st.integers(0, 700), min_size=1, max_size=6).map(tuple), st.booleans()
        ),
        st.builds(Fail, st.integers(0, 900), st.sampled_from(ERRORS), st.booleans()),
        st.builds(Mend, st.sampled_from((0, 0, 1, 7, 100))),
        st.builds(Restart, st.booleans()),
    ),
    min_size=1,
    max_size=14,
)


class Servers:
    """One server after the other on one session's folder, and what was sent to it, in order."""

    def __init__(self, folder: Path, disk: FailingDisk) -> None:
        self._disk = disk
        self._folders = (folder / f"run{number}" / "session" for number in itertools.count())
        self._open: list[TrafficLog] = []
        self.folder = next(self._folders)
        self.sent: list[str] = []
        self._begin()

    def _begin(self) -> None:
        path = self.folder / TRAFFIC_FILE
        number = max((entry.seq for entry in read_traffic(path)), default=0) if path.exists() else 0
        self._numbers = itertools.count(number + 1)
        self.log = TrafficLog(path, HANGING)
        self._open.append(self.log)

    def take(self, step: Step) -> None:
        match step:
            case Say(lengths, hangs):
                if hangs:
                    self._disk.answers.clear()
                for length in lengths:
                    text = f"{len(self.sent)}:{'x' * length}"
                    self.sent.append(text)
                    self.log.append(TrafficEntry(next(self._numbers), 1.0, "<", {"text": text}))
                self._disk.answers.set()
                self.log.flush()
            case Fail(room, error, broken):
                self._disk.room, self._disk.error, self._disk.broken = room, error, broken
            case Mend(short):
                self._disk.room, self._disk.short = None, short
            case Restart(killed):
                self._restart(killed=killed)

    def _restart(self, *, killed: bool) -> None:
        if killed:  # what is on disk at this moment is all that the next one finds
            former, self.folder = self.folder, next(self._folders)
            shutil.copytree(former, self.folder)
        else:
            self.log.close()
        self._begin()

    def close(self) -> None:
        for log in self._open:
            log.close()


def missing_runs(sent: list[str], kept: list[str]) -> Iterator[int]:
    """Yield before which of the kept lines some are missing."""
    at = 0
    for place, text in enumerate([*kept, None]):
        found = len(sent) if text is None else sent.index(text)
        if found > at:
            yield place
        at = found + 1


def test_more_at_once_than_may_wait_is_written_where_there_is_room(tmp_path: Path) -> None:
    log = TrafficLog(tmp_path / "session" / TRAFFIC_FILE, LIMITS)
    for number in range(1, 11):
        log.append(TrafficEntry(number, 1.0, "<", {"text": "x" * WAITING}))
    log.close()
    assert [entry.seq for entry in read_traffic(log.path)] == list(range(1, 11))
    assert log.missing == ""


def test_a_flush_tells_whether_the_lines_are_in_the_file(tmp_path: Path) -> None:
    log = TrafficLog(tmp_path / "session" / TRAFFIC_FILE, LIMITS)
    numbers = itertools.count(1)

    def flushed(text: str, seconds: float = 0.1) -> bool:
        log.append(TrafficEntry(next(numbers), 1.0, "<", {"text": text}))
        return log.flush(seconds)

    with failing_disk(MODULE) as disk:
        assert flushed("room", PATIENCE_SECONDS)
        disk.answers.clear()
        assert not flushed("slow")
        assert "does not answer" in log.missing
        disk.answers.set()
        assert log.flush(FOREVER_SECONDS)
        assert log.missing == ""
        disk.room, disk.error = 0, errno.ENOSPC
        assert not flushed("full")
        assert not flushed("x" * WAITING)  # more than may wait: it is lost
        disk.room = None
        assert flushed("room again", PATIENCE_SECONDS)
    log.close()
    assert log.flush(FOREVER_SECONDS)


def test_what_waits_for_a_disk_that_hangs_is_bounded(tmp_path: Path) -> None:
    """What goes beyond is lost, and a line says so where it is missing."""
    log = TrafficLog(tmp_path / "session" / TRAFFIC_FILE, replace(Limits(), queued_bytes=QUEUED))
    numbers = itertools.count(1)

    def send(count: int) -> None:
        for number in itertools.islice(numbers, count):
            message = {"text": f"{number} {'x' * 10_000}"}
            raw = json.dumps(message)
            log.append(TrafficEntry(number, 1.0, "<", message, raw=raw if number % 2 else ""))

    with failing_disk(MODULE) as disk:
        disk.answers.clear()
        send(10)
        assert not log.flush(seconds=0.1)
        tracemalloc.start()
        send(1000)
        assert tracemalloc.get_traced_memory()[0] < 4 * QUEUED
        tracemalloc.stop()
        assert "does not answer" in log.missing
        assert "but lost" in log.missing
        disk.answers.set()
        assert not log.flush()
        assert lacks_lines(log.path)
        send(2)
        assert log.flush(FOREVER_SECONDS)
        assert "are saved from here on. Some earlier ones were not saved" in log.missing
    log.close()
    messages = [entry.message for entry in read_traffic(log.path)]
    found = [m["note"] if "note" in m else int(m["text"].split()[0]) for m in messages]
    gap = found.index("log_gap")
    assert found == [*range(1, gap + 1), "log_gap", 1011, 1012]
    assert QUEUED * 0.8 < gap * 10_000 < QUEUED * 1.2


@given(STEPS)
@example([Fail(500, errno.EIO, broken=True), Say((200, 200, 200)), Mend(0)])
@example([Fail(375, errno.EIO, broken=True), Say((332,)), Mend(0)])  # all but the line's end
@example([Fail(375, errno.EIO, broken=True), Say((332,))])
@example([Say((700, 700, 700, 700), hangs=True), Say((1,))])
@example([Say((700, 700, 700, 700), hangs=True), Fail(0, errno.EIO, broken=False), Say((1,))])
@examples(30)
def test_any_failures_at_any_moment(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    with failing_disk(MODULE) as disk:
        servers = Servers(tmp_path_factory.mktemp("disk"), disk)
        try:
            for step in steps:
                servers.take(step)
            servers.log.close()
        finally:
            servers.close()
        path = servers.folder / TRAFFIC_FILE
        kept: list[str] = []
        told: set[int] = set()
        for entry in read_traffic(path):
            if entry.message.get("note") == "log_gap":
                told.add(len(kept))
            else:
                kept.append(entry.message["text"])
        if lacks_lines(path):
            told.add(len(kept))
        sent = servers.sent
        assert kept == [text for text in sent if text in set(kept)]
        assert set(missing_runs(sent, kept)) == told
        agent = AgentInfo(id="a", name="A")
        facts = SessionState(session_id="session", agent="a", agent_info=agent, cwd="", folder="")
        meta = SessionMeta(facts=facts)
        restored = read_session(servers.folder, meta)
        gap = restored.transcript.session.history == "gap"
        assert gap == (kept != sent)
