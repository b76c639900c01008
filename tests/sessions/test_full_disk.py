"""A log with lines missing, because it or the disk was full: nothing is allowed by what is left.

The rule: what was allowed before lines went missing is asked again when the session is opened
again, because a no may be among them. What was denied stays denied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from acp_jupyter.errors import KeptFileBroken
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.rules.store import RulesStore
from acp_jupyter.host.session import Session
from acp_jupyter.host.trust_store import TrustStore
from acp_jupyter.transcript.rule_text import read_rule
from tests.support.full_disk import full_disk
from tests.support.keeping import FAST, Kept, Server
from tests.support.wait import eventually

BOUND = 20_000
SMALL = replace(FAST, traffic_log_bytes=BOUND)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    root = tmp_path / "ws"
    root.mkdir()
    return Kept(root, tmp_path / "data", ("resume",))


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
    rules = session.turns.asking.rules
    assert rules is not None
    allowed = rules.read("execute:make allow", "allow", "session")
    denied = rules.read("execute:make deny", "deny", "session")
    server.run(lambda: rules.add(allowed))
    server.run(lambda: rules.add(denied))


def remove_rule(server: Server, session: Session) -> None:
    rules = session.turns.asking.rules
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
def test_what_was_taken_back_stays_so(kept: Kept, consent: str, full: str) -> None:
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


@pytest.mark.parametrize("full", FULL)
def test_it_is_said_that_lines_are_missing(kept: Kept, full: str) -> None:
    fill, limits = FULL[full]
    with kept.server(limits) as server:
        session = server.open("keeper")
        with fill(server, session):
            server.done(session, server.prompt(session, "two"))

            def told() -> list[str]:
                server.run(lambda: session.rename("Another"))
                return [text for text in server.notices(session) if "is not kept" in text]

            assert len(eventually(told, what="a notice")) == 1
    with kept.server(limits) as server:
        woken = server.woken(session.session_id)
        assert len([t for t in server.notices(woken) if "lines are missing" in t]) == 1


def test_a_session_goes_on_under_what_was_allowed_since(kept: Kept) -> None:
    with kept.server(FAST) as server:
        session = server.open("keeper")
        with disk_was_full(server, session):
            unset_policy(server, session)
        set_policy(server, session)
    with kept.server(FAST) as server:
        assert server.woken(session.session_id).state.policy == "allow-all"


def test_an_agent_can_fill_its_log_and_no_more(kept: Kept) -> None:
    """The bound is one of bytes: of one session's log, whatever the agent sends."""
    with kept.server(SMALL) as server:
        session = server.open("keeper")
        for _ in range(5):
            server.done(session, server.prompt(session, "x" * BOUND))
        assert session.journal.flush()
        assert session.journal.log.path.stat().st_size < BOUND + 500
    assert Limits().traffic_log_bytes <= 256 * 1024 * 1024


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
    with full_disk(), pytest.raises(KeptFileBroken):
        add("two")
    assert kept() == before
    assert before
