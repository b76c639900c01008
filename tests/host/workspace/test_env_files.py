"""The values of a folder's ``.env`` files are known, and nothing outside it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.workspace.folders import EnvFiles
from acp_jupyter.transcript.redactor import Redactor
from acp_jupyter.transcript.secret_patterns import REDACTED
from tests.support.agents.fake_agent import script
from tests.support.host.agent_session import AgentSession
from tests.support.host.driver import Driver
from tests.support.host.limits import PATIENT
from tests.support.host.trusted_folders import trusting


def known(folder: Path, text: str) -> str:
    redactor = Redactor()
    EnvFiles(folder, redactor).read()
    return redactor.redact_text(text)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("DB_PASSWORD=correct horse", "correct horse"),
        ('export API_TOKEN="my words here" # mine', "my words here"),
        ("SOME_KEY='it is quoted'", "it is quoted"),
        ("LICENCE = kd83hfKq02mXz71pWvR5", "kd83hfKq02mXz71pWvR5"),
        ("DATABASE_URL=postgres://me:the-password@host/db", "the-password"),
    ],
)
@pytest.mark.parametrize("name", [".env", ".env.local", ".envrc"])
def test_values_are_known(tmp_path: Path, name: str, line: str, value: str) -> None:
    (tmp_path / name).write_text(f"# first\n{line}\nMODE=development\n")
    assert known(tmp_path, f"is {value} in development") == f"is {REDACTED} in development"


@pytest.mark.parametrize("line", ["GREETING=good morning to everybody", "RELEASE=k83hfKq"])
def test_plain_words_and_short_values_are_no_secrets(tmp_path: Path, line: str) -> None:
    (tmp_path / ".env").write_text(f"{line}\n")
    assert known(tmp_path, line) == line


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    redactor = Redactor()
    files = EnvFiles(tmp_path, redactor)
    files.read()
    for value in ("first-value", "second-and-longer"):
        (tmp_path / ".env").write_text(f"A_SECRET={value}\n")
        files.read()
        assert redactor.redact_text(f"is {value}") == f"is {REDACTED}"
    assert redactor.redact_text("is first-value") == "is first-value"


def test_a_link_is_followed_within_the_folder_only(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "work"
    for folder, value in ((outside, "from-outside"), (inside / "config", "from-inside")):
        folder.mkdir(parents=True)
        (folder / "dev").write_text(f"A_SECRET={value}\n")
    (inside / ".env").symlink_to(outside / "dev")
    (inside / ".env.dev").symlink_to("config/dev")
    os.mkfifo(inside / ".env.pipe")
    (inside / ".env.gone").symlink_to("gone")
    assert known(inside, "from-outside from-inside") == f"from-outside {REDACTED}"


def test_a_large_file_is_read_to_its_bound(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "A_SECRET=within-bounds\n" + "#" * 100_000 + "\nB_SECRET=beyond-it"
    )
    assert known(tmp_path, "within-bounds beyond-it") == f"{REDACTED} beyond-it"
    assert known(tmp_path / "no folder", "x") == "x"


def test_any_number_of_files_is_read_in_the_same_order(tmp_path: Path) -> None:
    """Which are read depends on their names, not on where the disk has them."""
    names = [f".env.{number:03}" for number in range(120)]
    texts = []
    for order in (names, names[::-1]):
        folder = tmp_path / order[0]
        folder.mkdir()
        for name in (*order, ".env.example", ".env"):
            (folder / name).write_text(f"A_SECRET=value-of-{name}!\n")
        redactor = Redactor()
        left_out = EnvFiles(folder, redactor).read()
        assert "from .env.099 on" in left_out
        assert "the first 100 are read" in left_out
        said = " ".join(f"value-of-{name}!" for name in (".env", *names, ".env.example"))
        texts.append(redactor.redact_text(said))
    assert texts[0] == texts[1]
    assert texts[0].count(REDACTED) == 100
    assert texts[0].startswith(REDACTED)
    assert texts[0].endswith("value-of-.env.119! value-of-.env.example!")


def test_the_usual_files_are_found_in_a_folder_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_jupyter.host.workspace.folders._MAX_ENTRIES", 0)
    for name in (".env", ".env.local", ".env.production", ".env.of-mine"):
        (tmp_path / name).write_text(f"A_SECRET=value-of{name}!\n")
    redactor = Redactor()
    left_out = EnvFiles(tmp_path, redactor).read()
    assert "more than 0 entries" in left_out
    cleaned = redactor.redact_text(
        "value-of.env.local! value-of.env.production! value-of.env.of-mine!"
    )
    assert cleaned == f"{REDACTED} {REDACTED} value-of.env.of-mine!"


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    assert EnvFiles(tmp_path, Redactor()).read() == ""
    (tmp_path / ".env").write_text("A_SECRET=within-bounds\n" + "#" * 70_000)
    assert "the rest of .env" in EnvFiles(tmp_path, Redactor()).read()
    many = "".join(f"KEY_{number}_SECRET=value-{number:05}\n" for number in range(501))
    (tmp_path / ".env").write_text(many)
    files = EnvFiles(tmp_path, Redactor())
    assert "they have 501, and 500 are kept" in files.read()
    assert files.read(), "said again while it is so"


def test_what_is_left_out_is_said_once_in_the_session(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / ".env").write_text("A_SECRET=within-bounds\n" + "#" * 70_000)
    registry = Registry({"hello": script("hello")}, [])
    config = HostConfig(registry, root, tmp_path / "data", limits=PATIENT, trust=trusting(tmp_path))
    host = AgentHost(config)
    host.start()
    try:
        driver = Driver(host, root)
        session = AgentSession(driver, driver.open("hello"))
        session.turn()
        session.turn()
        told = [notice for notice in session.notices if "the rest of .env" in notice.text]
    finally:
        host.stop()
    assert [notice.severity for notice in told] == ["warning"]
