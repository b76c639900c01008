"""What a record may not hold."""

from __future__ import annotations

import getpass
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import acp_jupyter
from acp_jupyter.features.recordings.recording_file import (
    WORKSPACE,
    RecordingScrubber,
    recording_text,
)
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.transcript.model.items import Notice
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.features.recordings.records import host_in, opened, ran, recorded
from tests.support.host.limits import PATIENT
from tests.support.planted_secret import SECRET
from tests.support.wait import eventually

PACKAGE = str(Path(acp_jupyter.__file__).parent)


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
    assert "b.bin. It is not text, and contains a path of this machine" in text


def test_a_text_without_secrets_keeps_its_pieces(tmp_path: Path) -> None:
    with host_in(tmp_path / "one") as driver:
        ran(driver, opened(driver, "own_tools"), "say I wrote it")
    text = recorded(tmp_path / "one", "own_tools.ndjson").read_text()
    lines = [json.loads(line)["m"] for line in text.splitlines()]
    updates = [line["params"]["update"] for line in lines if line.get("method") == "session/update"]
    assert [update["content"]["text"] for update in updates] == list("I wrote it")


@pytest.mark.parametrize("name", ["max", "root", "re"])
def test_a_name_that_is_a_word_stays_in_programs(name: str) -> None:
    scrubber = RecordingScrubber(Scrubber("/srv/books", "/srv/home", Redactor()), name)
    assert scrubber.text(f"{name}(a, b)") == f"{name}(a, b)"
    if name == "max":
        assert scrubber.text("/srv/max/x ~max max@host") == "/srv/user/x ~user user@host"


def test_commands_of_tool_servers_are_left_out() -> None:
    params = {"cwd": "/srv/books", "mcpServers": [{"command": "x", "env": [{"value": "key"}]}]}
    message = {"id": 1, "method": "session/new", "params": params}
    scrubber = RecordingScrubber(Scrubber("/srv/books", "", Redactor(), stand_in=WORKSPACE), "")
    line = json.loads(recording_text([TrafficEntry(1, 0, ">", message)], scrubber))
    assert line["m"]["params"] == {"cwd": "/workspace", "mcpServers": []}


def test_large_files_are_named_and_left_out(tmp_path: Path) -> None:
    limits = replace(PATIENT, changed_file_bytes=10, changed_bytes=15)
    with host_in(tmp_path / "one", limits=limits) as driver:
        (driver.root / "was-large.txt").write_text("x" * 11)
        session = opened(driver, "own_tools")
        ran(driver, session, "write a.txt 1234567890\nwrite b.txt 12345678901\nwrite c.txt 123456")
        eventually(lambda: any(isinstance(i, Notice) for i in session.transcript.items))
        notice = next(i for i in session.transcript.items if isinstance(i, Notice))
        assert notice.text.startswith("Not in the recording: b.txt, c.txt. A file may have 10 B")
        ran(driver, session, "write was-large.txt small")
    text = recorded(tmp_path / "one", "own_tools.ndjson").read_text()
    assert '"files":[{"path":"a.txt","before":null' in text
    assert "Not in the recording: was-large.txt" in text
