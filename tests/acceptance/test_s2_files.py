"""Files: what an agent reads and writes through the client, and how it is shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.log_reader import read_traffic
from acp_jupyter.transcript.model.tool_items import Diff, ToolCall
from tests.support.agents.fake_agent import script
from tests.support.agents.terminal_steps import steps
from tests.support.host.driver import Driver, driving

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    with driving(tmp_path, {"scripted": script("terminal_script")}) as driver:
        yield driver


@pytest.fixture
def session(driver: Driver) -> Session:
    return driver.open("scripted")


def read(path: str, **more: Any) -> dict[str, Any]:
    return {"ask": "fs/read_text_file", "params": {"path": path, **more}}


def write(path: str, content: str) -> dict[str, Any]:
    return {"ask": "fs/write_text_file", "params": {"path": path, "content": content}}


def call(kind: str, path: str, status: str, call_id: str = "c1", **more: Any) -> dict[str, Any]:
    update = "tool_call" if status == "pending" else "tool_call_update"
    fields = {"kind": kind, "title": f"{kind} {path}", "locations": [{"path": path}], **more}
    return {"update": {"sessionUpdate": update, "toolCallId": call_id, "status": status, **fields}}


def asking(kind: str, path: str, call_id: str = "c1") -> dict[str, Any]:
    about = {"toolCallId": call_id, "title": f"{kind} {path}", "kind": kind, "status": "pending"}
    asked = {"toolCall": {**about, "locations": [{"path": path}]}, "options": OPTIONS}
    return {"ask": "session/request_permission", "params": asked}


def answers(
    driver: Driver, session: Session, *asked: dict[str, Any], choose: str = ""
) -> list[dict[str, Any]]:
    turn_id = driver.prompt(session, steps(*asked))
    if choose:
        driver.answer(session, driver.asked(session), choose)
    turn = driver.done(session, turn_id)
    assert turn.stop_reason == "end_turn", turn.failure
    said = [i for i in session.transcript.turn_items(turn_id) if i.kind == "agent_message"]
    return list(json.loads(said[-1].text))


def cards(session: Session) -> list[ToolCall]:
    state = session.transcript
    return [i for i in state.window(0, len(state.items)) if isinstance(i, ToolCall)]


def test_text_is_read_and_written(driver: Driver, session: Session) -> None:
    """S2.15: whole files, lines of them, and writes; a file that is not there is told as such."""
    path = str(driver.root / "a.txt")
    (driver.root / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\n")
    whole, part, written, nothing, outside = answers(
        driver,
        session,
        read(path),
        read(path, line=2, limit=1),
        write(path, "one\nzwei\n"),
        read(str(driver.root / "gone.txt"), line=1),
        read("/etc/hostname"),
    )
    assert whole == {"content": "one\r\ntwo\r\nthree\r\n"}
    assert part == {"content": "two\r\n"}
    assert not written
    assert (driver.root / "a.txt").read_bytes() == b"\xef\xbb\xbfone\r\nzwei\r\n"
    assert (nothing["code"], outside["code"]) == (-32002, -32002)


def test_a_read_file_is_one_row(driver: Driver, session: Session) -> None:
    """S2.49: the fs request and the tool call are one row, and both are in the traffic log."""
    path = str(driver.root / "a.txt")
    (driver.root / "a.txt").write_text("hello")
    answers(
        driver,
        session,
        call("read", path, "pending"),
        read(path),
        call("read", path, "completed", rawOutput={"bytes": 5}),
    )
    (card,) = cards(session)
    assert (card.path, card.status, card.ui_kind, card.diffs) == ("a.txt", "completed", "read", ())
    kinds = [item.kind for item in session.transcript.items]
    assert kinds == ["user_message", "tool_call", "agent_message", "turn_end"]
    session.journal.flush()
    entries = list(read_traffic(driver.host.traffic_path(session.session_id)))
    assert sum(e.message.get("method") == "fs/read_text_file" for e in entries) == 1
    updates = [e.message["params"]["update"] for e in entries if "update" in str(e.message)[:60]]
    assert sum(u.get("toolCallId") == "c1" for u in updates) == 2
    (request,) = (e for e in entries if e.message.get("method") == "fs/read_text_file")
    assert request.message["params"]["path"] == path
    assert card.started_at is not None
    assert card.ended_at is not None
    assert card.started_at <= request.t <= card.ended_at
    # A read that is not announced makes no row, and is none of the row of another file or time.
    (driver.root / "b.txt").write_text("other")
    answers(driver, session, read(path), read(str(driver.root / "b.txt")))
    assert cards(session) == [card]


@pytest.mark.parametrize("kind", ["edit", "delete"])
def test_destructive_work_asks_and_a_no_is_no_error(
    driver: Driver, session: Session, kind: str
) -> None:
    """S2.50: edits and deletions ask, reads do not; what was rejected has failed, and says so."""
    path = str(driver.root / "a.txt")
    (driver.root / "a.txt").write_text("hello")
    answers(
        driver,
        session,
        call("read", path, "pending", "c0"),
        read(path),
        call("read", path, "completed", "c0"),
        call(kind, path, "pending"),
        asking(kind, path),
        call(kind, path, "failed"),
        choose="no",
    )
    looked, card = cards(session)
    assert looked.permission is None
    assert card.status == "failed"
    assert card.permission is not None
    assert (card.permission.state, card.permission.chosen) == ("rejected", "Reject")
    assert "rejected" in card.permission.outcome.lower()
    assert "error" not in {item.kind for item in session.transcript.items}
    assert (driver.root / "a.txt").read_text() == "hello"


@pytest.mark.parametrize("option", ["no", "yes"])
def test_the_agent_of_this_package_asks_before_it_edits(tmp_path: Path, option: str) -> None:
    """S2.50: by itself; it reads without asking, and the file changes only after a yes."""
    demo = {"command": sys.executable, "args": ["-m", "acp_jupyter.agents.demo"]}
    with driving(tmp_path, {"demo": demo}) as driver:
        file = driver.root / "report.py"
        file.write_text("def total(values):\n    return sum(values)\n")
        before = file.read_text()
        session = driver.open("demo")
        driver.done(session, driver.prompt(session, "Read report.py"))
        assert {card.tool_kind for card in cards(session)} <= {"read", "search", "think"}
        assert cards(session)
        assert not any(card.permission for card in cards(session))
        turn_id = driver.prompt(session, "Edit report.py")
        request_id = driver.asked(session)
        card = next(c for c in cards(session) if c.permission is not None)
        assert card.permission is not None
        assert (card.tool_kind, card.path) == ("edit", "report.py")
        assert card.status == "pending"
        assert file.read_text() == before
        kind = "allow_once" if option == "yes" else "reject_once"
        chosen = next(o for o in card.permission.options if o.option_kind == kind)
        driver.answer(session, request_id, chosen.option_id)
        driver.done(session, turn_id)
        ended = next(c for c in cards(session) if c.id == card.id)
        assert ended.permission is not None
        if option == "yes":
            assert (ended.status, ended.permission.state) == ("completed", "allowed")
            assert file.read_text() != before
        else:
            assert (ended.status, ended.permission.state) == ("failed", "rejected")
            assert file.read_text() == before


def _edited(driver: Driver, session: Session, *order: dict[str, Any]) -> tuple[Diff, ...]:
    answers(driver, session, *order, choose="yes")
    (card,) = cards(session)
    assert card.status == "completed"
    return card.diffs


def test_a_written_file_is_a_diff_on_its_card(driver: Driver, session: Session) -> None:
    """S2.54: the agent sends no diff; it is that of its own fs/write_text_file."""
    path = str(driver.root / "a.txt")
    (driver.root / "a.txt").write_text("one\ntwo\n")
    diffs = _edited(
        driver,
        session,
        call("edit", path, "pending"),
        asking("edit", path),
        write(path, "one\n2\n"),
        call("edit", path, "completed"),
    )
    assert diffs == (
        Diff(path="a.txt", old_text="one\ntwo\n", new_text="one\n2\n", added=1, removed=1),
    )


@pytest.mark.parametrize("first", [True, False], ids=["card first", "write first"])
def test_a_card_of_reading_has_no_diff(driver: Driver, session: Session, *, first: bool) -> None:
    """S2.54: what is written hangs on the card of the edit, not on that of a look at the file."""
    path = str(driver.root / "a.txt")
    (driver.root / "a.txt").write_text("1\n")
    looked = call("read", path, "completed")
    wrote = write(path, "2\n")
    both = (call("read", path, "pending"), wrote, looked) if first else (wrote, looked)
    answers(driver, session, *both, call("edit", path, "completed", "c2"))
    read_card, edited = cards(session)
    assert read_card.diffs == ()
    assert [(diff.old_text, diff.new_text) for diff in edited.diffs] == [("1\n", "2\n")]


def test_a_card_that_comes_after_the_write_gets_it_too(driver: Driver, session: Session) -> None:
    """S2.54: a new file; the card is told only when all is done."""
    path = str(driver.root / "new.txt")
    answers(driver, session, write(path, "x\n"), call("edit", path, "completed"))
    (card,) = cards(session)
    (diff,) = card.diffs
    assert (diff.path, diff.old_text, diff.new_text) == ("new.txt", None, "x\n")
    assert diff.is_new_file
    assert card.is_new_file


def test_the_agents_own_diff_stands(driver: Driver, session: Session) -> None:
    """S2.54: only where the agent sends none."""
    path = str(driver.root / "a.txt")
    own = {"type": "diff", "path": path, "oldText": "a", "newText": "b"}
    (driver.root / "a.txt").write_text("one\n")
    answers(
        driver,
        session,
        call("read", path, "pending", "c0"),
        call("edit", path, "pending", content=[own]),
        write(path, "two\n"),
        call("edit", path, "completed"),
    )
    looked, card = cards(session)
    assert looked.diffs == ()
    assert [(diff.old_text, diff.new_text) for diff in card.diffs] == [("a", "b")]


def test_a_diff_of_ours_is_not_lost(driver: Driver, session: Session) -> None:
    """S2.54: nor is it when the card's content is told anew, or the file is written again."""
    path = str(driver.root / "a.txt")
    (driver.root / "a.txt").write_text("1\n")
    said = {"type": "content", "content": {"type": "text", "text": "Wrote it."}}
    answers(
        driver,
        session,
        call("edit", path, "pending"),
        write(path, "2\n"),
        call("edit", path, "completed", content=[said]),
        call("edit", path, "pending", "c2"),
        write(path, "3\n"),
        write(path, "4\n"),
        call("edit", path, "completed", "c2"),
    )
    first, second = cards(session)
    assert [(diff.old_text, diff.new_text) for diff in first.diffs] == [("1\n", "2\n")]
    assert [(diff.old_text, diff.new_text) for diff in second.diffs] == [("2\n", "4\n")]


def test_every_agent_can_make_a_file(driver: Driver, session: Session) -> None:
    """One that reads before it makes a file gives up at any error; others are told the truth."""
    path = str(driver.root / "new.txt")
    nowhere = str(driver.root / "no" / "new.txt")
    first, away, told, after, written = answers(
        driver,
        session,
        read(path),
        read(nowhere),
        call("read", path, "pending"),
        read(path),
        call("read", path, "failed"),
        call("edit", path, "pending", "c2"),
        read(path),
        write(path, "made\n"),
    )
    assert (first, after) == ({"content": ""}, {"content": ""})
    assert (away["code"], told["code"]) == (-32002, -32002)
    assert not written
    assert (driver.root / "new.txt").read_text() == "made\n"
