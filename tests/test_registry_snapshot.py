"""The script that makes the bundled list of agents anew, on a small checkout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from acp_jupyter.host.public_registry.snapshot import Snapshot
from tests.support.agents.registry import listed
from tests.support.wait import PATIENCE_SECONDS

ROOT = Path(__file__).parents[1]
DAY = "2026-02-07T12:00:00+00:00"


def checkout(folder: Path, files: dict[str, Any]) -> Path:
    """Make a checkout whose last commit has these files."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "x", f"--date={DAY}"]):
        subprocess.run(
            ["git", "-C", str(folder), *command],
            check=True,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", "GIT_COMMITTER_DATE": DAY},
        )
    return folder


def run(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/registry_snapshot.py", str(folder), "--to", str(target)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )


def test_a_checkout_becomes_a_snapshot_of_its_day(tmp_path: Path) -> None:
    kimi = {
        **listed("kimi"),
        "distribution": {
            "binary": {"linux-x86_64": {"archive": "https://x", "cmd": "./kimi", "args": ["acp"]}}
        },
    }
    files = {
        "README.md": "",
        "gemini/agent.json": listed("gemini", "@google/gemini-cli@0.1.0"),
        "kimi/agent.json": kimi,
        "newcomer/agent.json": listed("newcomer", args=["acp"], env={"QUIET": "1"}),
        "_not_yet_unsupported/goose/agent.json": listed("goose", "goose@1.0.0"),
        "_not_yet_unsupported/other/agent.json": listed("other"),
    }
    target = tmp_path / "snapshot.json"
    done = run(checkout(tmp_path / "registry", files), target)
    assert done.stdout == "4 agents of 2026-02-07; not taken: other\n", done.stderr
    snapshot = Snapshot.model_validate(json.loads(target.read_text()), strict=False)
    assert snapshot.date == "2026-02-07"
    found = {agent.id: agent for agent in snapshot.agents}
    assert list(found) == ["gemini", "goose", "kimi", "newcomer"]
    # What this project has tried since is newer than that registry.
    assert found["gemini"].package != "@google/gemini-cli@0.1.0"
    assert found["gemini"].tried > snapshot.date
    assert (found["kimi"].command, found["kimi"].args) == ("kimi", ("acp",))
    # Nobody says which program an unknown agent's package installs.
    new = found["newcomer"]
    assert (new.command, new.package, new.args) == ("", "@some/newcomer@1.0.0", ("acp",))
    assert new.env == {"QUIET": "1"}


def test_what_is_no_registry_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "snapshot.json"
    for name, content, words in (
        ("a", "{", "a/agent.json is no JSON"),
        ("b", {**listed("b"), "id": "B!"}, "b/agent.json is not valid: id does not have the right"),
        ("c", "", "c/agent.json is no JSON"),
    ):
        folder = checkout(tmp_path / name, {f"{name}/agent.json": content})
        assert words in run(folder, target).stderr
    empty = checkout(tmp_path / "empty", {"README.md": ""})
    assert "is it a checkout of the registry?" in run(empty, target).stderr
    (tmp_path / "plain").mkdir()
    assert run(tmp_path / "nowhere", target).returncode
    assert not target.exists()
