"""The values of a folder's ``.env`` files are known, and nothing outside it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_jupyter.host.workspace.folders import EnvFiles
from acp_jupyter.transcript.redactor import Redactor
from acp_jupyter.transcript.secret_patterns import REDACTED


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
