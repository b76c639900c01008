"""The bundled agents, driven by a client of the protocol that is not ours: ``acpx`` of npm."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.claude_cli import ADAPTER, FakeCli
from tests.support.wait import PATIENCE_SECONDS

pytestmark = pytest.mark.long

_ACPX = Path(__file__).parents[1] / "published_agents/more/node_modules/.bin/acpx"
_RECORDED = Path(__file__).parents[2] / "notebooks/record_and_replay.acp/demo.ndjson"
_MODULE = [sys.executable, "-P", "-m"]
_DEMO = [*_MODULE, "acp_jupyter.agents.demo"]


@dataclass(frozen=True)
class Driven:
    """A turn, as acpx tells it."""

    code: int
    messages: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """What the agent said."""
        updates = (each["params"]["update"] for each in self._called("session/update"))
        chunks = (each for each in updates if each["sessionUpdate"] == "agent_message_chunk")
        return "".join(chunk["content"].get("text", "") for chunk in chunks)

    @property
    def stop_reason(self) -> str:
        results = (each.get("result") for each in self.messages)
        reasons = [each["stopReason"] for each in results if each and "stopReason" in each]
        return str(reasons[-1]) if reasons else ""

    def asked(self, method: str) -> int:
        """Return how often the agent has asked for this."""
        return len(self._called(method))

    def _called(self, method: str) -> list[dict[str, Any]]:
        return [each for each in self.messages if each.get("method") == method]


def driven(
    folder: Path, agent: list[str], prompt: str, *options: str, env: dict[str, str] | None = None
) -> Driven:
    """Run a turn of an agent in a folder; acpx keeps what it keeps in a home beside it."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    command = [str(_ACPX), "--agent", shlex.join(agent), "--cwd", str(folder), *options]
    command += ["--format", "json", "--timeout", "60", "exec", prompt]
    ran = subprocess.run(
        command,
        env={**os.environ, **(env or {}), "HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    lines = [line for line in ran.stdout.splitlines() if line.startswith("{")]
    return Driven(ran.returncode, [json.loads(line) for line in lines])


def test_the_demo_agent_writes_a_file_that_acpx_allows(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    turn = driven(folder, _DEMO, 'create notes.md with "hello"', "--approve-all")
    assert (turn.code, turn.stop_reason) == (0, "end_turn")
    assert turn.asked("session/request_permission") == 1
    assert (folder / "notes.md").read_text().strip() == "hello"


def test_the_demo_agent_writes_none_that_acpx_denies(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    turn = driven(folder, _DEMO, 'create notes.md with "hello"', "--deny-all")
    assert turn.asked("session/request_permission") == 1
    assert turn.stop_reason == "end_turn"
    assert list(folder.iterdir()) == []


def test_a_recording_is_replayed_to_acpx(tmp_path: Path) -> None:
    """Its first turn: all that was said then, and the permission that was asked for."""
    messages = [json.loads(line)["m"] for line in _RECORDED.read_text().splitlines()]
    prompts = [n for n, each in enumerate(messages) if each.get("method") == "session/prompt"]
    (block,) = messages[prompts[0]]["params"]["prompt"][:1]
    recorded = Driven(0, messages[prompts[0] : [*prompts, len(messages)][1]])
    replay = [*_MODULE, "acp_jupyter.agents.replay", str(_RECORDED), "--speed", "flat"]
    folder = tmp_path / "ws"
    results = [each["result"] for each in messages if isinstance(each.get("result"), dict)]
    (folder / "record_and_replay").mkdir(parents=True)
    before = next(result["content"] for result in results if "content" in result)
    (folder / "record_and_replay/clean.py").write_text(before)
    turn = driven(folder, replay, block["text"], "--approve-all")
    assert (turn.code, turn.stop_reason) == (0, "end_turn")
    assert turn.text == recorded.text != ""
    assert turn.asked("session/request_permission") == 1


def test_the_claude_cli_is_an_agent_for_acpx(tmp_path: Path) -> None:
    cli = FakeCli(tmp_path)
    turn = driven(tmp_path / "ws", ADAPTER, "one", env=cli.env)
    assert (turn.code, turn.text, turn.stop_reason) == (0, "You said one.", "end_turn")
