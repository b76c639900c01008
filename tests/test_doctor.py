"""``jupyter acp doctor``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from acp_jupyter.command_line import main
from acp_jupyter.host.sandbox.levels import find_level


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jupyter's folders of a new user."""
    for name in ("DATA", "CONFIG", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(tmp_path / name.lower()))


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """Run it; return what it says, by the word before it."""
    code = main(["doctor"])
    lines: dict[str, list[str]] = {"ok": [], "warn": []}
    for line in capsys.readouterr().out.splitlines():
        word, _, words = line.partition(" ")
        lines[word].append(words.strip())
    assert code == (1 if lines["warn"] else 0)
    return lines


def test_it_says_what_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys)
    level = find_level()
    said = lines["ok" if level.level == "full" else "warn"]
    assert any(f"Sandboxes: {level.level}" in words and level.kept_by in words for words in said)
    good = "\n".join(lines["ok"])
    for words in ("Python 3.", "jupyter-server ", "Agents that can start: demo", "git 2."):
        assert words in good
    assert f"The data folder {tmp_path / 'data' / 'acp-jupyter'} can be written" in good
    assert not (tmp_path / "data").exists()  # it changes nothing


def test_it_warns_of_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "node").symlink_to(shutil.which("false") or "/bin/false")
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    (tmp_path / "file").touch()
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "file" / "data"))
    (tmp_path / "config").mkdir()
    entry = {"agent_servers": {"odd": {"command": "x", "url": "wss://x"}}}
    (tmp_path / "config" / "acp_agents.json").write_text(json.dumps(entry))
    warned = "\n".join(told(capsys)["warn"])
    for words in (
        "git was not found: without it no turn can be reverted",
        "node does not run: most agents need it",
        "acp-jupyter can't be written: ",
        "The agent odd can't start: ",
    ):
        assert words in warned
