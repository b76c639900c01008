"""What an agent keeps for itself may be written, but not what it runs outside of sandboxes too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_jupyter.host.registry_entries import AgentSpec
from acp_jupyter.host.sandbox.levels import Level
from acp_jupyter.host.sandbox.places import known_of
from acp_jupyter.host.sandbox.sandboxes import Sandboxes
from tests.sandbox.test_bad_input import FULL, LEVELS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sandboxes of Linux")


def _home(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    return home, {"HOME": str(home), "PATH": os.environ["PATH"]}


def _run(level: Level, home: Path, env: dict[str, str], command: str) -> str:
    sandboxes = Sandboxes((), home, level)
    spec = AgentSpec("codex", "Codex", "/bin/sh")
    folder = home.parent / "work"
    confined = sandboxes.begin(sandboxes.walls("folder", spec, folder, env))
    try:
        argv = confined.command(("/bin/sh", "-c", command), str(folder))
        environment = confined.environment(env)
        done = subprocess.run(
            argv, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    finally:
        confined.end()
    return done.stdout


@pytest.mark.skipif(FULL.level != "full", reason=FULL.why_not_more)
def test_settings_are_read_and_state_is_written(tmp_path: Path) -> None:
    home, env = _home(tmp_path)
    own = home / ".codex"
    own.mkdir()
    (own / "config.toml").write_text("notify = []\n")
    changes = (
        f"cat {own}/config.toml; echo planted >> {own}/config.toml; mv {own}/config.toml {own}/x; "
        f"echo planted > {own}/hooks.json; echo planted > {own}/rules/planted.rules; "
        f"echo kept > {own}/history"
    )
    said = _run(FULL, home, env, changes)
    assert said.startswith("notify = []\n")
    assert (own / "config.toml").read_text() == "notify = []\n"
    assert (own / "hooks.json").read_text() == "{}\n"  # made before, so that nobody makes it
    assert [*(own / "rules").iterdir()] == []
    assert (own / "history").read_text() == "kept\n"


@pytest.mark.parametrize("level", LEVELS)
def test_downloads_are_kept_apart_from_the_users_own(level: Level, tmp_path: Path) -> None:
    home, env = _home(tmp_path)
    (home / ".npm").mkdir()
    said = _run(
        level,
        home,
        env,
        f"echo planted > {home}/.npm/x; for each in $npm_config_cache $UV_CACHE_DIR; do "
        "mkdir -p $each && echo kept > $each/x; echo $each; done",
    )
    caches = home / ".cache/acp-jupyter/sandboxes/codex"
    assert [*(home / ".npm").iterdir()] == []
    assert said.splitlines() == [f"{caches}/npm", f"{caches}/uv"]
    assert (caches / "npm" / "x").read_text() == (caches / "uv" / "x").read_text() == "kept\n"


@pytest.mark.parametrize(
    ("command", "args", "agent"),
    [
        ("node", ("/x/node_modules/@google/gemini-cli/bundle/gemini.js", "--acp"), "gemini"),
        ("/x/node_modules/opencode-ai/bin/opencode", ("acp",), "opencode"),
        ("npx", ("@google/gemini-cli@0.61.0", "--acp"), "gemini"),
        ("node", ("/x/node_modules/of-somebody/index.js",), None),
    ],
)
def test_an_agent_is_known_by_its_package(
    command: str, args: tuple[str, ...], agent: str | None
) -> None:
    known = known_of(AgentSpec("mine", "Mine", command, args))
    assert (None if known is None else known.id) == agent
