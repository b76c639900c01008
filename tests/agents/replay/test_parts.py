"""What the replay agent is made of: paths, times and changed files."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.agents.replay.file_changes import FileChangeError, apply_changes, wanted_changes
from acp_jupyter.agents.replay.permissions import ShownChange, request_changes
from acp_jupyter.agents.replay.player import Pace
from acp_jupyter.agents.replay.recording import (
    AgentRequest,
    Answered,
    Localiser,
    Part,
    RecordedSession,
    Send,
    Step,
)
from acp_jupyter.agents.replay.terminals import notes_by_request, show_terminals
from acp_jupyter.agents.rpc import Json, Peer
from acp_jupyter.protocol.host_events.session import FileBytes, FileChange, FileText
from tests.support.virtual_loop import in_virtual_time

# -- the folder -----------------------------------------------------------------


def localiser(recorded: str, live: str = "/live") -> Localiser:
    return Localiser(recorded, live, ["s1", "s2"], "now")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/rec/ws", "/live"),
        ("/rec/ws/", "/live/"),
        ("/rec/ws/a.py", "/live/a.py"),
        ("cd /rec/ws && ls '/rec/ws/b c'", "cd /live && ls '/live/b c'"),
        ("file:///rec/ws/a", "file:///live/a"),
        ("In /rec/ws. And", "In /live. And"),
        ("a=/rec/ws:/rec/ws/b", "a=/live:/live/b"),
        ("/rec/ws2/a", "/rec/ws2/a"),
        ("/rec/ws-old", "/rec/ws-old"),
        ("/rec/ws.bak", "/rec/ws.bak"),
        ("/mnt/rec/ws/a", "/mnt/rec/ws/a"),
        ("~/rec/ws", "~/rec/ws"),
        ("rec/ws", "rec/ws"),
        ("/rec", "/rec"),
    ],
)
def test_a_folder_is_replaced_as_a_whole(text: str, expected: str) -> None:
    assert localiser("/rec/ws").text(text) == expected
    assert localiser("/rec/ws/").text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C:\\rec\\ws\\src\\a.py", "/live/src/a.py"),
        ("c:/Rec/ws/src/a.py", "/live/src/a.py"),
        ('{"path": "C:\\\\rec\\\\ws\\\\a.py"}', '{"path": "/live/a.py"}'),
        ("type C:\\rec\\ws\\a.py > d\\e", "type /live/a.py > d\\e"),
        ("C:\\rec\\wss", "C:\\rec\\wss"),
    ],
)
def test_a_folder_of_windows_is_replaced(text: str, expected: str) -> None:
    assert localiser("C:\\rec\\ws").text(text) == expected


def test_a_root_is_no_folder_to_replace() -> None:
    for root in ("/", "", "C:\\"):
        assert localiser(root).text("/a C:\\b") == "/a C:\\b"


def test_a_folder_is_replaced_by_what_stands_there_literally() -> None:
    assert localiser("/rec", "C:\\new\\1").text("/rec/a") == "C:\\new\\1/a"


def test_ids_are_replaced_where_they_are_ids() -> None:
    play = localiser("/rec")
    play.terminals["t1"] = "t9"
    value = {"sessionId": "s2", "x": [{"terminalId": "t1", "n": 1}, "s1", None], "/rec/a": "/rec"}
    assert play.value(value) == {
        "sessionId": "now",
        "x": [{"terminalId": "t9", "n": 1}, "s1", None],
        "/live/a": "/live",
    }


@given(st.text("/recws.a -\\:"))
def test_there_and_back_is_the_same(text: str) -> None:
    there = localiser("/rec/ws", "/other/place").text(text)
    assert localiser("/other/place", "/rec/ws").text(there) == text
    assert there == text or "/rec/ws" in text


# -- times ----------------------------------------------------------------------


def reached(speed: float | None, interrupt_at: float | None = None) -> list[float]:
    """Return when steps recorded at these times are reached."""

    @in_virtual_time
    async def play() -> list[float]:
        loop = asyncio.get_running_loop()
        interrupt = asyncio.Event()
        if interrupt_at is not None:
            loop.call_later(interrupt_at, interrupt.set)
        pace = Pace(speed)
        pace.restart(100.0)
        times = []
        for recorded in (100.0, 101.0, 103.5, 103.5, 90.0, 91.0, 900.0):
            await pace.reach(recorded, interrupt)
            times.append(round(loop.time(), 3))
        return times

    return play()


def test_gaps_are_as_recorded_but_never_above_ten_seconds() -> None:
    assert reached(1.0) == [0.0, 1.0, 3.5, 3.5, 3.5, 4.5, 14.5]


def test_gaps_are_scaled() -> None:
    assert reached(10.0) == [0.0, 0.1, 0.35, 0.35, 0.35, 0.45, 1.45]
    assert reached(0.5)[-1] == 29.0
    assert set(reached(None)) == {0.0}


def test_nothing_is_waited_for_after_a_stop() -> None:
    assert reached(1.0, interrupt_at=2.0) == [0.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]


# -- changed files --------------------------------------------------------------


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def change(path: str, before: bytes | None, after: bytes | str | None) -> FileChange:
    match after:
        case bytes():
            encoded = base64.b64encode(after).decode()
            kept: FileText | FileBytes | None = FileBytes(base64=encoded)
        case str():
            kept = FileText(text=after)
        case None:
            kept = None
    return FileChange(path=path, before=None if before is None else sha(before), after=kept)


def _apply(root: Path, changes: list[FileChange]) -> None:
    apply_changes(wanted_changes(root, changes))


def test_files_are_changed_made_and_removed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("old\n")
    (tmp_path / "a.py").chmod(0o755)
    (tmp_path / "gone").write_text("x")
    changes = [
        change("a.py", b"old\n", "new\r\n"),
        change("deep/er/b.bin", None, b"\x00\xff"),
        change("gone", b"x", None),
        change("never", b"x", None),
        change("a.py", b"old\n", "new\r\n"),
    ]
    _apply(tmp_path, changes)
    _apply(tmp_path, changes)  # what is as it was after the turn is left alone
    assert (tmp_path / "a.py").read_bytes() == b"new\r\n"
    assert (tmp_path / "a.py").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "deep" / "er" / "b.bin").read_bytes() == b"\x00\xff"
    assert sorted(os.listdir(tmp_path)) == ["a.py", "deep"]


@pytest.mark.parametrize("before", [b"older", None])
def test_a_file_that_is_not_as_it_was_stays_and_so_do_all(
    tmp_path: Path, before: bytes | None
) -> None:
    (tmp_path / "clean.py").write_text("mine")
    changes = [change("new.py", None, "new"), change("clean.py", before, "theirs")]
    with pytest.raises(FileChangeError, match=r"clean\.py is not as it was when this was recorded"):
        _apply(tmp_path, changes)
    assert (tmp_path / "clean.py").read_text() == "mine"
    assert not (tmp_path / "new.py").exists()


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../out",
        "a/../../out",
        "",
        ".",
        "a//b",
        ".git/hooks/post-commit",
        "sub/.GIT/config",
        ".git. /config",
        "C:out",
        "nul\0l",
        "link/out",
        "link",
        "dangling",
        "folder",
        "pipe",
        "file/below",
        "n" * 5000,
    ],
)
def test_what_lies_elsewhere_is_not_touched(tmp_path: Path, path: str) -> None:
    root, outside = tmp_path / "ws", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "dangling").symlink_to(outside / "made")
    (root / "folder").mkdir()
    (root / "file").write_text("x")
    os.mkfifo(root / "pipe")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FileChangeError):
        _apply(root, [change("fine", None, "fine"), change(path, None, "bad")])
    assert sorted(tmp_path.rglob("*")) == before


def test_damaged_content_is_not_written(tmp_path: Path) -> None:
    damaged = FileChange(path="a", before=None, after=FileBytes(base64="%%%"))
    with pytest.raises(FileChangeError, match="content of a is damaged"):
        _apply(tmp_path, [damaged])


# -- commands ----------------------------------------------------------------------


def commands(*asks: AgentRequest) -> RecordedSession:
    """Return a session of one prompt in which the agent asked for these, and was answered."""
    steps: list[Step] = []
    for ask in asks:
        steps += [ask, Answered(0.0, ask.seq)]
    return RecordedSession("s", parts=[Part("prompt", "session/prompt", {}, 0.0, steps=steps)])


def asking(seq: int, method: str, result: object, **params: object) -> AgentRequest:
    message = {"id": seq, "method": f"terminal/{method}", "params": params}
    return AgentRequest(0.0, seq, message, {"result": result})


def test_each_answer_tells_what_a_command_has_put_out_since_the_last_one() -> None:
    session = commands(
        asking(1, "create", {"terminalId": "t"}, command="make"),
        asking(2, "output", {"output": "one\n"}, terminalId="t"),
        asking(3, "output", {"output": "one\n"}, terminalId="t"),
        asking(
            4, "output", {"output": "one\ntwo\n", "exitStatus": {"exitCode": 0}}, terminalId="t"
        ),
        asking(5, "output", {"output": 5}, terminalId="t"),
    )
    notes = notes_by_request(session, ())
    assert {seq: [note.note for note in told] for seq, told in notes.items()} == {
        1: ["terminal_started"],
        2: ["terminal_output"],
        4: ["terminal_output", "terminal_exited"],
    }
    texts = [
        note.text for told in notes.values() for note in told if note.note == "terminal_output"
    ]
    assert texts == ["one\n", "two\n"]


@pytest.mark.parametrize(("length", "end"), [(200, "x"), (201, "…")])
def test_a_long_command_is_cut_in_the_title_of_its_card(length: int, end: str) -> None:
    session = commands(asking(1, "create", {"terminalId": "t"}, command="x" * length))
    show_terminals(session)
    sent = [step for step in session.parts[0].steps if isinstance(step, Send)]
    (title,) = {step.update["title"] for step in sent if "title" in step.update}
    assert (len(title), title[-1]) == (200, end)


# -- changes of files --------------------------------------------------------------


class AskedPeer(Peer):
    """Allows what it is asked, and keeps it."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def notify(self, method: str, params: Json) -> None:
        pass

    async def request(self, method: str, params: Any) -> Json:
        self.asked.append(params["toolCall"])
        return {"outcome": {"outcome": "selected", "optionId": params["options"][0]["optionId"]}}


def test_a_change_is_asked_with_what_it_writes_and_a_deletion_with_its_place() -> None:
    peer, root = AskedPeer(), Path("/live")
    changes = [
        ShownChange(root / "a.py", "a.py", "old", "new"),
        ShownChange(root / "b.py", "b.py", "old", None, removes=True),
        ShownChange(root / "c.bin", "c.bin", None, None),
    ]
    asyncio.run(request_changes(peer, "s1", "edit", "Write", changes))
    (call,) = peer.asked
    assert [place["path"] for place in call["locations"]] == [
        "/live/a.py",
        "/live/b.py",
        "/live/c.bin",
    ]
    diff, words = call["content"]
    assert (diff["path"], diff["oldText"], diff["newText"]) == ("/live/a.py", "old", "new")
    assert words["content"]["text"].startswith("c.bin is not shown")
