"""An agent's first start in a folder asks."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from acp_jupyter.errors import FolderNotTrusted, PermissionSettled, SharedFileBroken
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.requests.trust import TrustRequests, needs_trust, too_much
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.permission_stores import TrustStore
from acp_jupyter.own_programs import module_command
from acp_jupyter.transcript.model.items import TrustRequest
from tests.support.host.driver import Driver
from tests.support.server.jupyter_server import fake_agents
from tests.support.wait import eventually

Opens = Callable[[], Driver]


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Opens]:
    """Make hosts that share a data folder, as servers of one user do."""
    root = tmp_path / "ws"
    (root / "below").mkdir(parents=True)
    made: list[AgentHost] = []

    def start() -> Driver:
        registry = Registry(fake_agents("hello", "slow_stream"), [])
        made.append(AgentHost(HostConfig(registry, root, tmp_path / "data")))
        made[-1].start()
        return Driver(made[-1], root)

    yield start
    for host in made:
        host.stop()


@pytest.fixture
def driver(hosts: Opens) -> Driver:
    return hosts()


def gate(session: Session) -> TrustRequests:
    found = session.turns.permissions.trust
    assert found is not None
    return found


def question(session: Session) -> TrustRequest:
    def find() -> TrustRequest | None:
        items = (item for item in session.transcript.items if isinstance(item, TrustRequest))
        return next((item for item in items if item.state == "pending"), None)

    found = eventually(find, what="the question")
    assert found is not None
    return found


def settled(session: Session) -> list[tuple[str, str]]:
    items = (item for item in session.transcript.items if isinstance(item, TrustRequest))
    return [(item.state, item.outcome) for item in items]


def test_nothing_runs_before_the_answer(driver: Driver) -> None:
    session = driver.open("hello")
    turn_id = driver.prompt(session)
    asked = question(session)
    assert (asked.turn_id, asked.title) == (turn_id, "Trust this folder?")
    assert gate(session).folder == driver.root
    assert "hooks, MCP servers" in asked.words
    assert session.state.waiting == 1
    assert session.transcript.turns[turn_id].status == "requires_action"
    assert session.state.agent_session_id == ""
    driver.run(lambda: gate(session).answer(trusted=True))
    assert driver.done(session, turn_id).stop_reason == "end_turn"
    assert settled(session) == [("trusted", "Trusted")]
    # It asks once.
    assert driver.done(session, driver.prompt(session)).stop_reason == "end_turn"
    assert len(settled(session)) == 1


def test_no_ends_the_turn_in_words_and_asks_again_next_time(driver: Driver) -> None:
    session = driver.open("hello")
    turn_id = driver.prompt(session)
    question(session)
    driver.run(lambda: gate(session).answer(trusted=False))
    turn = driver.done(session, turn_id)
    assert turn.failure is not None
    assert turn.failure.reason == "folder_not_trusted"
    assert "--trust" in turn.failure.detail
    assert settled(session) == [("declined", "Not trusted")]
    driver.prompt(session)
    question(session)


def test_a_stopped_turn_takes_its_question_along(driver: Driver) -> None:
    session = driver.open("hello")
    turn_id = driver.prompt(session)
    asked = question(session)
    driver.run(session.cancel)
    assert driver.done(session, turn_id).stop_reason == "cancelled"
    assert settled(session) == [("cancelled", "Not answered: turn stopped")]
    assert session.state.waiting == 0
    with pytest.raises(PermissionSettled):
        driver.run(lambda: gate(session).check(asked.request_id))
    driver.prompt(session)
    question(session)


def test_where_nobody_can_be_asked_it_fails_at_once(driver: Driver) -> None:
    session = driver.open("hello")
    turn = driver.done(session, driver.prompt(session, can_ask=False))
    assert turn.failure is not None
    assert turn.failure.reason == "folder_not_trusted"
    assert settled(session) == []


def test_without_a_turn_nothing_is_started(driver: Driver) -> None:
    session = driver.open("hello")
    driver.result(session.start())
    driver.run(session.start_in_background)
    assert not session.agent.running
    with pytest.raises(FolderNotTrusted):
        driver.result(session.set_mode("code"))


def test_the_demo_needs_no_trust(driver: Driver) -> None:
    session = driver.open("demo")
    driver.result(session.start())
    assert session.agent.running


def test_a_trusted_folder_counts_for_all_below_it_and_for_other_servers(
    hosts: Opens, tmp_path: Path
) -> None:
    first, second = hosts(), hosts()
    store = first.host.permission_stores.trust
    assert not store.trusts(first.root)
    store.trust(first.root)
    assert second.host.permission_stores.trust.trusts(first.root / "below")
    assert not second.host.permission_stores.trust.trusts(tmp_path)
    assert not second.host.permission_stores.trust.trusts(tmp_path / "ws2")
    file = tmp_path / "data" / "trust.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert store.revoke(str(first.root))
    assert not store.revoke(str(first.root))
    assert not second.host.permission_stores.trust.trusts(first.root)


def test_a_link_out_of_a_trusted_folder_is_not_trusted(tmp_path: Path) -> None:
    trusted, other = tmp_path / "trusted", tmp_path / "other"
    trusted.mkdir()
    other.mkdir()
    (trusted / "link").symlink_to(other)
    store = TrustStore(tmp_path / "trust.json", [trusted])
    assert store.trusts(trusted)
    assert not store.trusts(trusted / "link")


@pytest.mark.parametrize("content", ["", "[]", '{"folders": "/"}', "\x00", '{"folders": [1]}'])
def test_a_broken_file_trusts_nothing_and_is_not_overwritten(tmp_path: Path, content: str) -> None:
    file = tmp_path / "trust.json"
    file.write_text(content)
    store = TrustStore(file)
    assert not store.trusts(tmp_path)
    with pytest.raises(SharedFileBroken, match=r"trust\.json can't be read"):
        store.trust(tmp_path)
    assert file.read_text() == content


def test_why_a_file_can_not_be_read_is_told_without_an_error_number(tmp_path: Path) -> None:
    file = tmp_path / "trust.json"
    file.mkdir()
    with pytest.raises(SharedFileBroken) as raised:
        TrustStore(file).trust(tmp_path)
    words = f"The file {file} can't be read: Is a directory. Correct it, or move it away."
    assert str(raised.value) == words


def test_what_is_kept_is_a_list_of_paths(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "trust.json")
    store.trust(tmp_path)
    store.trust(tmp_path)
    kept = json.loads((tmp_path / "trust.json").read_text())
    assert [folder["path"] for folder in kept["folders"]] == [str(tmp_path.resolve())]


@pytest.mark.parametrize(
    ("folder", "home", "mode", "words"),
    [
        ("home", "home", 0o755, "This is your home folder"),
        ("link", "home", 0o755, "This is your home folder"),
        (".", "home", 0o755, "Your home folder is in this one"),
        ("/", "home", 0o755, "Your home folder is in this one"),
        ("home/work", "home", 0o755, ""),
        ("shared", "home", 0o777, "Anyone on this machine"),
        ("shared", "home", 0o775, ""),
        ("gone", "home", 0o755, ""),
    ],
)
def test_a_folder_that_is_more_than_a_project_is_trusted_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, home: str, mode: int, words: str
) -> None:
    for name in ("home/work", "shared"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "shared").chmod(mode)
    (tmp_path / "link").symlink_to("home")
    monkeypatch.setenv("HOME", str(tmp_path / home))
    found = too_much(tmp_path / folder)
    assert found.startswith(words)
    assert bool(found) is bool(words)
    assert ("a folder below it" in found) is bool(words)


def test_the_card_and_the_refusal_say_so(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(driver.root))
    session = driver.open("hello")
    turn_id = driver.prompt(session)
    assert question(session).words.startswith("This is your home folder: everything in it")
    driver.run(lambda: gate(session).answer(trusted=False))
    driver.done(session, turn_id)
    alone = driver.open("hello")
    failure = driver.done(alone, driver.prompt(alone, can_ask=False)).failure
    assert failure is not None
    assert failure.reason == "folder_not_trusted"
    assert "yet. This is your home folder" in failure.message


@pytest.mark.parametrize(
    ("command", "args", "asks"),
    [
        (sys.executable, module_command("acp_jupyter.agents.demo")[1:], False),
        (sys.executable, module_command("acp_jupyter.agents.demo", "--slow")[1:], False),
        ("./python", module_command("acp_jupyter.agents.demo")[1:], True),
        (sys.executable, ("-m", "acp_jupyter.agents.demo"), True),
        (sys.executable, ("-P", "-m", "acp_jupyter.agents.demo"), True),
        (sys.executable, module_command("acp_jupyter.agents.replay")[1:], True),
        (sys.executable, ("-P", "-m"), True),
        (sys.executable, (), True),
    ],
)
def test_only_our_own_demo_needs_no_trust(command: str, args: tuple[str, ...], asks: bool) -> None:
    spec = AgentSpec(id="a", name="A", command=command, args=args)
    assert needs_trust(spec) is asks
