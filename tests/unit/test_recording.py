"""Sessions that are recorded, and played again with no agent."""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import acp_jupyter
from acp_jupyter.delivery.opening import go_on
from acp_jupyter.errors import AcpError, BadRequest, FileRefused, NotAllowed, RecordMissing
from acp_jupyter.host.host import AgentHost, HostConfig
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.recording_answers import RecordedAnswers
from acp_jupyter.host.recording_place import record_folder
from acp_jupyter.host.recording_scrub import WORKSPACE, RecordScrubber, record_text
from acp_jupyter.host.recording_wish import RecordWish
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.session import Session
from acp_jupyter.packets.traffic import TrafficEntry
from acp_jupyter.transcript.events import TurnState
from acp_jupyter.transcript.items import Artifact, Notice, ToolCall
from acp_jupyter.transcript.redact import Redactor
from acp_jupyter.transcript.scrub import Scrubber
from tests.support.driver import Driver
from tests.support.fake_agents import AGENTS
from tests.support.planted import SECRET
from tests.support.wait import eventually

NOTEBOOK = "folder/own.ipynb"
PACKAGE = str(Path(acp_jupyter.__file__).parent)


@contextmanager
def host_in(root: Path, *, agents: bool = True, limits: Limits | None = None) -> Iterator[Driver]:
    """A host; without agents every command fails."""
    (root / "folder").mkdir(parents=True, exist_ok=True)
    names = ("own_tools", "permission", "leaky")
    scripts = {
        name: {
            "command": sys.executable if agents else "/no/agent/may/start",
            "args": [str(AGENTS / f"{name}.py")],
        }
        for name in names
    }
    registry = Registry(scripts if agents else {}, [])
    data = root.parent / f"data-{root.name}"
    host = AgentHost(HostConfig(registry, root, data, limits=limits or Limits()))
    host.start()
    try:
        yield Driver(host, root / "folder")
    finally:
        host.stop()


def opened(driver: Driver, agent: str, mode: str = "record", **more: str) -> Session:
    wish = RecordWish.model_validate({"mode": mode, "run": more.pop("run", "r1")})
    return driver.open(agent, notebook_path=NOTEBOOK, record=wish, **more)


def ran(driver: Driver, session: Session, prompt: str, **more: object) -> TurnState:
    return driver.done(session, driver.prompt(session, prompt, **more))


def recorded(root: Path, name: str) -> Path:
    return root / "folder" / "own.acp" / name


DEEDS = (
    "write a.txt Hello\\n\nsay I wrote it",
    "write a.txt Bye\nbytes b.bin 00ff\nwrite sub/c.py x = 1\\n\nwrite old.txt new",
    "delete a.txt\nwrite here.txt root={cwd}/x\\n",
    "write here.txt root={cwd}/y\\n\nsay Gone",
)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The record of four turns that change files."""
    with host_in(tmp_path / "one") as driver:
        (driver.root / "old.txt").write_text("old")
        session = opened(driver, "own_tools")
        for deeds in DEEDS:
            assert ran(driver, session, deeds).stop_reason == "end_turn"
    return recorded(tmp_path / "one", "own_tools.ndjson")


@contextmanager
def replaying(record: Path, root: Path) -> Iterator[tuple[Driver, Session]]:
    """The record in another place where there are no agents."""
    recorded(root, "").mkdir(parents=True)
    recorded(root, record.name).write_bytes(record.read_bytes())
    with host_in(root, agents=False) as driver:
        (driver.root / "old.txt").write_text("old")
        yield driver, opened(driver, "own_tools", "replay")


def _files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".acp" not in str(path)
    }


def test_played_elsewhere_it_does_the_same_without_the_agent(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        for deeds in DEEDS:
            assert ran(driver, session, deeds).stop_reason == "end_turn"
        there = _files(driver.root)
        assert driver.text(session) == "I wrote itGone"
        assert session.state.agent_info.name == "own_tools (replayed)"
        made = [item.path for item in session.transcript.items if isinstance(item, Artifact)]
        assert made == ["sub/c.py"]
    here = _files(tmp_path / "one" / "folder")
    assert there.pop("here.txt").decode() == f"root={tmp_path}/two/folder/y\n"
    assert here.pop("here.txt").decode() == f"root={tmp_path}/one/folder/y\n"
    assert there == here == {"b.bin": b"\0\xff", "sub/c.py": b"x = 1\n", "old.txt": b"new"}


def test_another_prompt_fails_in_words(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        turn = ran(driver, session, "write a.txt Something else")
        assert turn.failure is not None
        assert "not the one that was recorded" in turn.failure.message
        assert turn.failure.message.startswith("own_tools (replayed): This prompt")
        assert "send the message again" not in turn.failure.message
        assert set(_files(driver.root)) == {"old.txt"}
        for deeds in DEEDS:
            ran(driver, session, deeds)
        turn = ran(driver, session, DEEDS[0])
        assert turn.failure is not None
        assert "holds 4 prompts, and no more" in turn.failure.message


def test_a_file_that_differs_is_not_overwritten(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        ran(driver, session, DEEDS[0])
        (driver.root / "old.txt").write_text("mine")
        turn = ran(driver, session, DEEDS[1])
        assert turn.failure is not None
        assert "old.txt is not as it was when this was recorded" in turn.failure.message
        assert (driver.root / "old.txt").read_text() == "mine"
        assert not (driver.root / "b.bin").exists()


def test_a_file_in_the_place_of_a_new_one_is_not_overwritten(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (driver, session):
        (driver.root / "a.txt").write_bytes(b"\xff")
        assert ran(driver, session, DEEDS[0]).failure is not None
        assert (driver.root / "a.txt").read_bytes() == b"\xff"


def test_without_a_record_there_is_nothing_to_play(tmp_path: Path) -> None:
    with host_in(tmp_path / "one", agents=False) as driver:
        with pytest.raises(RecordMissing, match=r"own\.acp/own_tools\.ndjson.*%acp record on"):
            opened(driver, "own_tools", "replay")
        assert driver.host.sessions == {}


def test_what_something_else_made_is_neither_played_nor_overwritten(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        file = recorded(tmp_path / "one", "own_tools.ndjson")
        file.parent.mkdir()
        file.write_text('{"seq": 1, "d": "!", "m": {"note": "session_opened"}}\n')
        for mode in ("record", "replay"):
            with pytest.raises(FileRefused, match="something else made it"):
                opened(driver, "own_tools", mode)
        file.unlink()
        session = opened(driver, "own_tools")
        file.write_text("mine")
        ran(driver, session, "say Hello")
        eventually(lambda: any(isinstance(i, Notice) for i in session.transcript.items))
        notice = next(i for i in session.transcript.items if isinstance(i, Notice))
        assert "was not written" in notice.text
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("notebook", "path", "kind"),
    [
        ("", "", BadRequest),
        ("a/n.ipynb", "records", BadRequest),
        ("a/n.ipynb", "../../out.acp", NotAllowed),
        ("", "../../out.acp", NotAllowed),
        ("", "x/../../out.acp", NotAllowed),
        ("a/n.ipynb", "/etc/out.acp", NotAllowed),
        ("a/n.ipynb", "C:\\out.acp", NotAllowed),
    ],
)
def test_where_a_record_can_not_lie(notebook: str, path: str, kind: type[AcpError]) -> None:
    with pytest.raises(kind):
        record_folder(notebook, RecordWish(mode="record", path=path))


@pytest.mark.parametrize(
    ("notebook", "path", "folder"),
    [
        ("a/n.ipynb", "", "a/n.acp"),
        ("a/n.ipynb", "other.ipynb", "a/other.acp"),
        ("a/n.ipynb", "../b/n.acp", "b/n.acp"),
        ("", "n.acp", "n.acp"),
    ],
)
def test_where_a_record_lies(notebook: str, path: str, folder: str) -> None:
    assert str(record_folder(notebook, RecordWish(mode="record", path=path))) == folder


@pytest.mark.parametrize("agent", ["../x", "", "A/b", "x\n"])
def test_no_agent_leads_elsewhere(agent: str, tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver, pytest.raises(BadRequest):
        opened(driver, agent, "replay")


def test_a_link_does_not_lead_out_of_the_root(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with host_in(tmp_path / "one") as driver:
        recorded(tmp_path / "one", "").symlink_to(outside)
        with pytest.raises(NotAllowed):
            opened(driver, "own_tools", "replay")
        with pytest.raises(NotAllowed):
            opened(driver, "own_tools")
    assert list(outside.iterdir()) == []


def test_sessions_have_a_record_each(tmp_path: Path) -> None:
    """Also those of one name: --new starts another."""
    with host_in(tmp_path / "one") as driver:
        for label, run in (("", "r1"), ("a b/c", "r1"), ("", "r1"), ("", "r2")):
            session = opened(driver, "own_tools", label=label, run=run)
            ran(driver, session, f"say {label} in {run}")
    folder = recorded(tmp_path / "one", "")
    names = {"own_tools.ndjson", "own_tools@a b%2Fc.ndjson", "own_tools~2.ndjson"}
    assert {path.name for path in folder.iterdir()} == names
    # Another run begins anew, in the place of the old record.
    assert "say  in r2" in (folder / "own_tools.ndjson").read_text()
    assert "in r1" not in (folder / "own_tools.ndjson").read_text()


def test_each_of_them_is_played(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        for number in (1, 2):
            ran(driver, opened(driver, "own_tools"), f"say number {number}")
    with host_in(tmp_path / "one", agents=False) as driver:
        for number in (1, 2):
            session = opened(driver, "own_tools", "replay")
            assert ran(driver, session, f"say number {number}").stop_reason == "end_turn"
        with pytest.raises(RecordMissing, match=r"own_tools~3\.ndjson"):
            opened(driver, "own_tools", "replay")


def test_a_prompt_may_name_what_the_record_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", SECRET)
    prompt = f"Read {Path.home()}/.netrc and {tmp_path}/one/folder/x, not {SECRET}"
    with host_in(tmp_path / "one") as driver:
        ran(driver, opened(driver, "own_tools"), prompt)
    with host_in(tmp_path / "one", agents=False) as driver:
        session = opened(driver, "own_tools", "replay")
        assert ran(driver, session, prompt).stop_reason == "end_turn"


def test_a_wish_finds_its_own_sessions_again(record: Path, tmp_path: Path) -> None:
    with replaying(record, tmp_path / "two") as (_driver, session):
        assert not session.suits(None)
        assert not session.suits(RecordWish(mode="replay", run="another"))
        assert session.suits(RecordWish(mode="replay", run="r1"))
    with host_in(tmp_path / "three") as driver:
        session = opened(driver, "own_tools")
        assert session.suits(RecordWish(mode="record", run="r1"))
        assert not session.suits(RecordWish(mode="record", run="r2"))
        assert session.suits(None)
        file = recorded(tmp_path / "three", "own_tools.ndjson")
        driver.run(lambda: go_on(session, RecordWish(mode="record", run="r1")))
        ran(driver, session, "say Again")
        driver.run(lambda: go_on(session, None))  # before that turn was written
        ran(driver, session, "say Secretly")
        assert not session.suits(RecordWish(mode="record", run="r1"))
    assert "say Again" in file.read_text()
    assert "Secretly" not in file.read_text()


# -- what a record may not hold ------------------------------------------------


def test_nothing_of_the_machine_and_no_secret_is_in_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" / "annelise"
    root = home / "books"
    monkeypatch.setenv("HOME", str(home))
    for name in ("LOGNAME", "USER"):
        monkeypatch.setenv(name, "annelise")
    monkeypatch.setenv("PLANTED_API_KEY", SECRET)
    assert getpass.getuser() == "annelise"
    said = f"Hi annelise, {SECRET}, {{cwd}}/x, {home}/.netrc, {root}/y, /home/bob/z, {sys.prefix}/b"
    deeds = f"say {said}\nwrite a.txt {said}\nbytes b.bin ff{os.fsencode(root).hex()}"
    with host_in(root) as driver:
        session = opened(driver, "own_tools")
        ran(driver, session, deeds)
        turn = ran(driver, session, "fail")
        assert turn.stop_reason == "error"
    text = recorded(root, "own_tools.ndjson").read_text()
    for planted in (SECRET, "annelise", str(tmp_path), "/home/bob", sys.prefix, PACKAGE):
        assert planted not in text
    content = "Hi user, [redacted], /workspace/x, ~/.netrc, /workspace/../y, ~/z, /python/b"
    assert f'"after":{{"text":"{content}"}}' in text
    # What is said letter by letter is one text where it would give something away.
    assert f'"type":"text","text":"{content}"' in text
    assert "b.bin. It is no text, and holds a path of this machine" in text


def test_a_text_without_secrets_keeps_its_pieces(record: Path) -> None:
    pieces = [
        line["m"]["params"]["update"]["content"]["text"]
        for line in map(json.loads, record.read_text().splitlines())
        if line["m"].get("method") == "session/update"
    ]
    assert pieces == list("I wrote itGone")


@pytest.mark.parametrize("name", ["max", "root", "re"])
def test_a_name_that_is_a_word_stays_in_programs(name: str) -> None:
    scrubber = RecordScrubber(Scrubber("/srv/books", "/srv/home", Redactor()), name)
    assert scrubber.text(f"{name}(a, b)") == f"{name}(a, b)"
    if name == "max":
        assert scrubber.text("/srv/max/x ~max max@host") == "/srv/user/x ~user user@host"


def test_commands_of_tool_servers_are_left_out() -> None:
    params = {"cwd": "/srv/books", "mcpServers": [{"command": "x", "env": [{"value": "key"}]}]}
    message = {"id": 1, "method": "session/new", "params": params}
    scrubber = RecordScrubber(Scrubber("/srv/books", "", Redactor(), stand_in=WORKSPACE), "")
    line = json.loads(record_text([TrafficEntry(1, 0, ">", message)], scrubber))
    assert line["m"]["params"] == {"cwd": "/workspace", "mcpServers": []}


def test_large_files_are_named_and_left_out(tmp_path: Path) -> None:
    limits = Limits(changed_file_bytes=10, changed_bytes=15)
    with host_in(tmp_path / "one", limits=limits) as driver:
        (driver.root / "was-large.txt").write_text("x" * 11)
        session = opened(driver, "own_tools")
        ran(driver, session, "write a.txt 1234567890\nwrite b.txt 12345678901\nwrite c.txt 123456")
        eventually(lambda: any(isinstance(i, Notice) for i in session.transcript.items))
        notice = next(i for i in session.transcript.items if isinstance(i, Notice))
        assert notice.text.startswith("Not in the record: b.txt, c.txt. A file may have 10 B")
        ran(driver, session, "write was-large.txt small")
    text = recorded(tmp_path / "one", "own_tools.ndjson").read_text()
    assert '"files":[{"path":"a.txt","before":null' in text
    assert "Not in the record: was-large.txt" in text


# -- permissions ---------------------------------------------------------------


def _asked_and(driver: Driver, session: Session, option: str) -> None:
    turn_id = driver.prompt(session, "text")
    driver.answer(session, driver.asked(session), option)
    driver.done(session, turn_id)


def _played(tmp_path: Path, text: str, **more: object) -> tuple[TurnState, str, bool]:
    """Play the record of ``permission``; return turn, outcome and whether the file is there."""
    root = tmp_path / "two"
    recorded(root, "").mkdir(parents=True)
    recorded(root, "permission.ndjson").write_text(text)
    with host_in(root, agents=False) as driver:
        session = opened(driver, "permission", "replay")
        turn = ran(driver, session, "text", **more)
        calls = [item for item in session.transcript.items if isinstance(item, ToolCall)]
        assert calls[0].permission is not None
        return turn, calls[0].permission.outcome, (driver.root / "edited.txt").exists()


@pytest.fixture
def allowed(tmp_path: Path) -> str:
    """The record of a turn in which the user allowed an edit."""
    with host_in(tmp_path / "one") as driver:
        _asked_and(driver, opened(driver, "permission"), "yes")
    return recorded(tmp_path / "one", "permission.ndjson").read_text()


def test_what_the_user_answered_is_answered_so_again_where_nobody_is(
    allowed: str, tmp_path: Path
) -> None:
    turn, outcome, written = _played(tmp_path, allowed, can_ask=False)
    assert (turn.stop_reason, outcome) == ("end_turn", "Allowed once (recorded)")
    assert written


def test_a_recorded_rejection_is_one_again(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        _asked_and(driver, opened(driver, "permission"), "no")
    text = recorded(tmp_path / "one", "permission.ndjson").read_text()
    _turn, outcome, written = _played(tmp_path, text, can_ask=False)
    assert (outcome, written) == ("Rejected (recorded)", False)


def test_somebody_who_is_there_is_asked(allowed: str, tmp_path: Path) -> None:
    root = tmp_path / "two"
    recorded(root, "").mkdir(parents=True)
    recorded(root, "permission.ndjson").write_text(allowed)
    with host_in(root, agents=False) as driver:
        session = opened(driver, "permission", "replay")
        turn_id = driver.prompt(session, "text")
        driver.answer(session, driver.asked(session), "no")
        turn = driver.done(session, turn_id)
        # What was recorded can't follow from that.
        assert turn.failure is not None
        assert "answered “Allow” when this was recorded" in turn.failure.message
        assert not (driver.root / "edited.txt").exists()


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"newText":"text\\n"', '"newText":"evil\\n"'),
        ('"kind":"edit"', '"kind":"delete"'),
        ('edited.txt"}]', 'other.txt"}]'),
    ],
)
def test_another_request_than_the_recorded_one_is_refused(
    was: str, now: str, allowed: str, tmp_path: Path
) -> None:
    """A recorded answer is for the recorded request alone."""
    lines = allowed.splitlines()
    request = next(n for n, line in enumerate(lines) if "session/request_permission" in line)
    answered = next(n for n, line in enumerate(lines) if '"by":"user"' in line)
    # The answer of one request, the words of another.
    changed = [line.replace(was, now) for line in lines[:request]]
    assert changed != lines[:request]
    root = tmp_path / "two"
    answers = RecordedAnswers(record_file(root, "\n".join(lines)), NoScrubs(), 10**6)
    answers.load()
    lines_now = [*changed, lines[request].replace(was, now), *lines[answered:]]
    other = RecordedAnswers(record_file(root, "\n".join(lines_now)), NoScrubs(), 10**6)
    other.load()
    (asked,) = (a.call for a in other._asked)
    assert answers.find(asked, nobody_to_ask=True) is None
    (same,) = (a.call for a in answers._asked)
    again = answers.find(same, nobody_to_ask=True)
    assert again is not None
    assert (again.option_id, again.by) == ("yes", "record")
    # Each answer counts once.
    assert answers.find(same, nobody_to_ask=True) is None


def record_file(root: Path, text: str) -> Path:
    root.mkdir(exist_ok=True)
    path = root / f"{abs(hash(text))}.ndjson"
    path.write_text(text)
    return path


class NoScrubs:
    def text(self, value: str) -> str:
        return value


def test_where_a_policy_answered_the_same_policy_answers(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        session = opened(driver, "permission")
        ran(driver, session, "text", policy="accept-edits", can_ask=False)
    text = recorded(tmp_path / "one", "permission.ndjson").read_text()
    turn, outcome, written = _played(tmp_path, text, can_ask=False)
    assert (turn.stop_reason, outcome) == ("end_turn", "Allowed by rule: accept-edits")
    assert written


def test_the_cells_own_policy_comes_first(allowed: str, tmp_path: Path) -> None:
    turn, outcome, written = _played(tmp_path, allowed, can_ask=False, policy="read-only")
    assert outcome == "Rejected by rule: read-only"
    assert turn.stop_reason == "error"
    assert not written


def test_a_record_of_garbage_holds_no_answers(tmp_path: Path) -> None:
    for text in ("", "{}", "[]\n\0", '{"record":1,"d":"!","m":{"note":"session_opened"}}'):
        answers = RecordedAnswers(record_file(tmp_path, text), NoScrubs(), 10**6)
        answers.load()
        assert answers._asked == []
    missing = RecordedAnswers(tmp_path / "none", NoScrubs(), 10**6)
    missing.load()
    assert missing._asked == []
