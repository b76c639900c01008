"""A log with lines missing, because it or the disk was full: nothing is allowed by what is left.

The rule: what was allowed before lines went missing is asked again when the session is opened
again, because a no may be among them. What was denied stays denied.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_jupyter.api.models.sessions import CloseSession, DeleteSession, ForkSession, ListSessions
from acp_jupyter.api.models.turns import AnswerPermission
from acp_jupyter.errors import DiskRefused, SharedFileBroken
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.log_reader import lacks_lines, read_traffic
from acp_jupyter.host.store.permission_stores import RulesStore, TrustStore
from acp_jupyter.host.store.traffic_log import TrafficLog
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.session_state import SessionState
from acp_jupyter.transcript.rule_text import read_rule
from tests.support.generated import examples
from tests.support.host.failing_disk import failing_disk
from tests.support.host.full_disk import full_disk
from tests.support.host.restarts import FAST, HostFolders, Server
from tests.support.wait import eventually

BOUND = 20_000
SMALL = replace(FAST, traffic_log_bytes=BOUND)


@pytest.fixture
def kept(tmp_path: Path) -> HostFolders:
    root = tmp_path / "ws"
    root.mkdir()
    return HostFolders(root, tmp_path / "data", ("resume",))


@contextmanager
def full_log(server: Server, session: Session) -> Iterator[None]:
    """The agent says more than fits."""
    server.done(session, server.prompt(session, "x" * BOUND))
    yield


@contextmanager
def disk_is_full(server: Server, session: Session) -> Iterator[None]:
    assert session.journal.flush()
    with full_disk(session.journal.log.path.stat().st_size + 10):
        yield


@contextmanager
def disk_was_full(server: Server, session: Session) -> Iterator[None]:
    """There is room again, and the log goes on."""
    with disk_is_full(server, session):
        yield
        session.journal.flush()
    server.done(session, server.prompt(session, "more"))


def set_policy(server: Server, session: Session) -> None:
    server.run(lambda: session.set_policy("allow-all"))


def unset_policy(server: Server, session: Session) -> None:
    server.run(lambda: session.set_policy("ask"))


def add_rule(server: Server, session: Session) -> None:
    rules = session.turns.permissions.rules
    assert rules is not None
    allowed = rules.read("execute:make allow", "allow", "session")
    denied = rules.read("execute:make deny", "deny", "session")
    server.run(lambda: rules.add(allowed))
    server.run(lambda: rules.add(denied))


def remove_rule(server: Server, session: Session) -> None:
    rules = session.turns.permissions.rules
    assert rules is not None
    (allowed,) = (rule.id for rule in session.state.rules if rule.effect == "allow")
    server.run(lambda: rules.remove(allowed))


Do = Callable[[Server, Session], None]
CONSENTS: dict[str, tuple[Do, Do]] = {
    "a policy": (set_policy, unset_policy),
    "a rule": (add_rule, remove_rule),
}
"""How something is allowed, and taken back."""
FULL = {
    "the log is full": (full_log, SMALL),
    "the disk is full": (disk_is_full, FAST),
    "the disk was full": (disk_was_full, FAST),
}


@pytest.mark.parametrize("full", FULL)
@pytest.mark.parametrize("consent", CONSENTS)
def test_what_was_taken_back_stays_so(kept: HostFolders, consent: str, full: str) -> None:
    allow, take_back = CONSENTS[consent]
    fill, limits = FULL[full]
    with kept.server(limits) as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "one"))
        allow(server, session)
        with fill(server, session):
            take_back(server, session)
            session.journal.flush()
    with kept.server(limits) as server:
        woken = server.woken(session.session_id)
        assert woken.state.policy == "ask"
        assert {rule.effect for rule in woken.state.rules} <= {"deny"}
        assert bool(woken.state.rules) == (consent == "a rule")


def texts(server: Server, session: Session, words: str) -> list[str]:
    return [text for text in server.notices(session) if words in text]


def listed(server: Server) -> list[SessionState]:
    states = server.send(ListSessions())
    assert isinstance(states, list)
    return [state for state in states if isinstance(state, SessionState)]


def history(session: Session) -> str:
    return session.state.history


def test_it_is_said_that_a_full_log_lacks_lines(kept: HostFolders) -> None:
    with kept.server(SMALL) as server:
        session = server.open("keeper")
        with full_log(server, session):
            server.done(session, server.prompt(session, "two"))
            eventually(lambda: texts(server, session, "but not kept"), what="it is said")
            assert len(texts(server, session, "but not kept")) == 1
    with kept.server(SMALL) as server:
        woken = server.woken(session.session_id)
        assert len(texts(server, woken, "Lines are missing")) == 1
        assert woken.state.history == "gap"


def test_what_a_full_disk_did_not_take_is_written_later(kept: HostFolders) -> None:
    """All of it, with no line of it torn, and the next turn after it too."""
    with kept.server() as server:
        session = server.open("keeper")
        with disk_is_full(server, session):
            server.done(session, server.prompt(session, "two " * 2000))
            eventually(
                lambda: texts(server, session, "Not kept: nothing can be written to the disk"),
                what="it is said",
            )
            assert history(session) == "gap"
        eventually(
            lambda: texts(server, session, "The disk has free space again"), what="it is said"
        )
        assert history(session) == "whole"
        server.done(session, server.prompt(session, "three"))
        said = server.said(session)
    with kept.server() as server:
        woken = server.woken(session.session_id)
        assert server.said(woken) == said
        assert texts(server, woken, "missing") == []
        assert woken.state.history == "whole"


def test_a_server_that_ends_while_the_disk_is_full_has_lost_lines(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "one"))
        assert session.journal.flush()
        size = session.journal.log.path.stat().st_size
        turn_id = server.prompt(session, "two " * 2000)
        with full_disk(size):
            server.done(session, turn_id)
            server.host.stop()
    with kept.server() as server:
        woken = server.woken(session.session_id)
        assert server.said(woken)[:2] == ["one", "After 0: one"]
        assert len(texts(server, woken, "Lines are missing")) == 1
        assert woken.state.history == "gap"
        server.done(woken, server.prompt(woken, "three"))


def test_beyond_its_bound_what_waits_is_lost_and_said(kept: HostFolders) -> None:
    with kept.server(replace(FAST, unwritten_bytes=20_000)) as server:
        session = server.open("keeper")
        with disk_is_full(server, session):
            for text in ("two ", "three ", "four "):
                server.done(session, server.prompt(session, text * 2000))
            eventually(lambda: texts(server, session, "too much waits"), what="it is said")
        server.done(session, server.prompt(session, "five"))
        session.journal.flush()
        said_as_lost(server, session)
    missing_after_a_restart(kept, session)


def said_as_lost(server: Server, session: Session) -> None:
    eventually(lambda: texts(server, session, "but lost: they are gone"), what="it is said")
    assert texts(server, session, "the whole session was saved") == []
    assert history(session) == "gap"


def missing_after_a_restart(kept: HostFolders, session: Session) -> None:
    with kept.server() as server:
        woken = server.woken(session.session_id)
        assert len(texts(server, woken, "Lines are missing")) == 1
        assert woken.state.history == "gap"
        assert server.said(woken)[-1].endswith("five")


def test_an_agent_that_sends_much_while_the_disk_hangs(kept: HostFolders) -> None:
    """Its page is told, what is shown stays whole, and the log goes on with the gap marked."""
    with (
        kept.server(replace(FAST, queued_bytes=20_000)) as server,
        failing_disk("acp_jupyter.host.store.traffic_log") as disk,
    ):
        session = server.open("keeper")
        server.done(session, server.prompt(session, "one"))
        assert session.journal.flush()
        disk.answers.clear()
        for text in ("two ", "three ", "four "):
            server.done(session, server.prompt(session, text * 2000))
        assert len(texts(server, session, "does not answer), and too much waits")) == 1
        assert history(session) == "gap"
        assert [text.split()[0] for text in server.said(session)[::2]] == [
            *("one", "two", "three", "four")
        ]
        disk.answers.set()
        session.journal.flush()
        server.done(session, server.prompt(session, "five"))
        said_as_lost(server, session)
    missing_after_a_restart(kept, session)


def test_a_kept_session_can_be_read_while_nothing_can_be_written(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "one"))
    with full_disk(), kept.server() as server:
        woken = server.woken(session.session_id)
        assert server.said(woken) == ["one", "After 0: one"]
        assert "can't be written" in woken.state.read_only
        assert "You can read it here." in woken.state.read_only


def test_a_folder_that_somebody_made_read_only_lacks_no_lines(kept: HostFolders) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "one"))
    path = session.journal.log.path
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with kept.server() as server:
            woken = server.woken(session.session_id)
            assert server.said(woken) == ["one", "After 0: one"]
            assert texts(server, woken, "missing") == []
            assert history(woken) == "whole"
    finally:
        path.parent.chmod(0o700)


def test_a_log_that_lacks_lines_still_does_in_a_folder_made_read_only(tmp_path: Path) -> None:
    path = tmp_path / "session" / "traffic.ndjson"
    log = TrafficLog(path, Limits())
    with full_disk():
        log.append(TrafficEntry(1, 1.0, "<", {}))
        log.close()
    assert lacks_lines(path)
    path.chmod(path.stat().st_mode & ~0o222)
    path.parent.chmod(0o500)
    assert lacks_lines(path)
    path.parent.chmod(0o700)


def test_a_line_larger_than_what_may_wait_is_written_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "session" / "traffic.ndjson"
    log = TrafficLog(path, replace(Limits(), unwritten_bytes=1000))
    for number in range(1, 30):
        log.append(TrafficEntry(number, 1.0, "<", {"text": "x" * 900 * (number % 3)}))
    log.close()
    assert [entry.seq for entry in read_traffic(path)] == list(range(1, 30))
    assert log.missing == ""


@pytest.mark.parametrize("is_open", [True, False])
def test_a_session_can_be_deleted_on_a_full_disk(kept: HostFolders, is_open: bool) -> None:
    """It makes room."""
    with kept.server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "one"))
        folder = session.journal.log.path.parent
        if not is_open:
            server.send(CloseSession(session_id=session.session_id))
        with full_disk():
            server.send(DeleteSession(session_id=session.session_id))
        assert not folder.exists()
        assert session.session_id not in {state.session_id for state in listed(server)}


def test_a_fork_that_the_disk_does_not_take_leaves_no_folder(kept: HostFolders) -> None:
    kept.abilities = ("resume", "fork")
    with kept.server() as server:
        session = server.open("keeper")
        server.done(session, server.prompt(session, "one " * 1000))
        assert session.journal.flush()
        path = session.journal.log.path
        with (
            full_disk(path.stat().st_size - 1000),
            pytest.raises(DiskRefused, match=r" written to the disk: File too large\.$"),
        ):
            server.send(ForkSession(session_id=session.session_id))
        assert list(path.parent.parent.iterdir()) == [path.parent]


def test_a_log_that_was_near_its_bound_on_a_full_disk_goes_on_afterwards(tmp_path: Path) -> None:
    """That it is full was lost with what did not fit; there is room for what comes now."""
    path = tmp_path / "session" / "traffic.ndjson"
    log = TrafficLog(path, replace(Limits(), traffic_log_bytes=2000, unwritten_bytes=500))
    with full_disk():
        for number, length in ((1, 420), (2, 3000)):
            log.append(TrafficEntry(number, 1.0, "<", {"text": "x" * length}))
            assert not log.flush()
    log.append(TrafficEntry(3, 1.0, "<", {"text": "after"}))
    log.close()
    notes = [entry.message.get("note") for entry in read_traffic(path)]
    assert notes == [None, "log_gap", None]


LINES = st.lists(st.text(max_size=300), min_size=1, max_size=5)
ROOM = st.one_of(st.none(), st.integers(0, 400))


@given(st.lists(st.tuples(LINES, ROOM), min_size=1, max_size=8), st.booleans())
@example([(["x" * 300] * 5, 0), (["x" * 300] * 5, 0), (["after"], None), (["and"], None)], False)
@examples(60)
def test_any_lines_on_any_disk(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[tuple[list[str], int | None]],
    ends_full: bool,
) -> None:
    """What is in the file is whole and in order; if any line is missing, the file says so."""
    path = tmp_path_factory.mktemp("disk") / "session" / "traffic.ndjson"
    sent: list[str] = []
    numbers = itertools.count(1)
    log = TrafficLog(path, replace(Limits(), unwritten_bytes=1500))
    for number, (texts, room) in enumerate(batches):
        full = room is not None and (number < len(batches) - 1 or ends_full)
        with full_disk(path.stat().st_size + (room or 0)) if full else nullcontext():
            for text in texts:
                sent.append(text)
                log.append(TrafficEntry(next(numbers), 1.0, "<", {"text": text}))
            log.flush()
            if number == len(batches) - 1:
                log.close()
    found = list(read_traffic(path))
    assert all(json.loads(line) for line in path.read_bytes().splitlines() if line)
    kept = [entry.message["text"] for entry in found if "text" in entry.message]
    positions = [entry.seq for entry in found if "text" in entry.message]
    assert positions == sorted(set(positions))
    assert kept == [sent[position - 1] for position in positions]
    gaps = [entry for entry in found if entry.message.get("note") == "log_gap"]
    assert (len(kept) < len(sent)) == (bool(gaps) or lacks_lines(path))


def test_a_session_goes_on_under_what_was_allowed_since(kept: HostFolders) -> None:
    with kept.server(FAST) as server:
        session = server.open("keeper")
        with disk_was_full(server, session):
            unset_policy(server, session)
        set_policy(server, session)
    with kept.server(FAST) as server:
        assert server.woken(session.session_id).state.policy == "allow-all"


def test_an_agent_can_fill_its_log_and_no_more(kept: HostFolders) -> None:
    """The bound is one of bytes: of one session's log, whatever the agent sends."""
    with kept.server(SMALL) as server:
        session = server.open("keeper")
        for _ in range(5):
            server.done(session, server.prompt(session, "x" * BOUND))
        assert session.journal.flush()
        assert session.journal.log.path.stat().st_size < BOUND + 500
    assert Limits().traffic_log_bytes <= 256 * 1024 * 1024


@pytest.mark.parametrize(
    ("option", "reply", "words"), [("yes", "Yes", "Allowed"), ("no", "No", "Rejected")]
)
def test_always_is_once_where_it_can_not_be_remembered(
    kept: HostFolders, option: str, reply: str, words: str
) -> None:
    with kept.server() as server:
        session = server.open("keeper")
        server.prompt(session, "ask")
        request_id = server.asked(session)
        with full_disk():
            answered = server.send(
                AnswerPermission(
                    session_id=session.session_id,
                    request_id=request_id,
                    option_id=option,
                    remember="workspace",
                )
            )
        assert answered == {"outcome": reply}
        (notice,) = texts(server, session, "not remembered")
        assert notice.startswith(f"{words} once, and not remembered. The file ")
        assert "can't be written" in notice


STORES: dict[str, Callable[[Path], tuple[Callable[[str], object], Callable[[], object]]]] = {
    "a rule of a folder": lambda data: _rules(RulesStore(data / "rules.json")),
    "a trusted folder": lambda data: _trust(TrustStore(data / "trust.json")),
}


def _rules(store: RulesStore) -> tuple[Callable[[str], object], Callable[[], object]]:
    def add(name: str) -> None:
        rule = read_rule(f"execute:{name}", effect="allow", scope="workspace", rule_id=name, at=0)
        store.add(Path("/ws"), rule)

    return add, lambda: [rule.id for rule in store.of(Path("/ws"))]


def _trust(store: TrustStore) -> tuple[Callable[[str], object], Callable[[], object]]:
    return lambda name: store.trust(Path("/", name)), lambda: [
        folder.path for folder in store.folders()
    ]


@pytest.mark.parametrize("name", STORES)
def test_what_can_not_be_kept_is_not_remembered_and_nothing_is_lost(
    tmp_path: Path, name: str
) -> None:
    add, kept = STORES[name](tmp_path)
    add("one")
    before = kept()
    with full_disk(), pytest.raises(SharedFileBroken):
        add("two")
    assert kept() == before
    assert before
