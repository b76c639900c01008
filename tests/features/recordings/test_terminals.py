"""A record with terminals is played without running anything."""

from __future__ import annotations

import json
from pathlib import Path

from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.recording_options import RecordingOptions
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.terminal_steps import ask, call, create, steps, update
from tests.support.host.driver import Driver
from tests.support.host.trusted_folders import trusting
from tests.support.server.jupyter_server import fake_agents

PROMPT = steps(
    create("echo run >> ../outside.txt; echo one; exit 3", outputByteLimit=3),
    call(),
    ask("wait_for_exit"),
    ask("output"),
    ask("release"),
    ask("output"),
    update(status="failed"),
)


def play(root: Path, mode: str, prompt: str = PROMPT) -> tuple[str, list[ToolCall]]:
    """Have the conversation, or play it; return what was said and the cards."""
    root.mkdir(exist_ok=True)
    registry = Registry(fake_agents("terminal_script") if mode == "record" else {}, [])
    data = root.parent / f"data-{mode}"
    host = AgentHost(HostConfig(registry, root, data, trust=trusting(root)))
    host.start()
    try:
        driver = Driver(host, root)
        wish = RecordingOptions.model_validate({"mode": mode, "run": "r1"})
        session: Session = driver.open("terminal_script", notebook_path="own.ipynb", recording=wish)
        done = driver.done(session, driver.prompt(session, prompt, policy="allow-all"))
        assert done.stop_reason == "end_turn", done.failure
        state = session.transcript
        items = state.window(0, len(state.items))
        return driver.text(session), [item for item in items if isinstance(item, ToolCall)]
    finally:
        host.stop()


def test_the_terminals_of_a_record_are_shown_and_not_run(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    said, (card,) = play(root, "record")
    answers = json.loads(said)
    assert answers[1:4] == [
        {"exitCode": 3},
        {"output": "ne\n", "truncated": True, "exitStatus": {"exitCode": 3}},
        {},
    ]
    outside = tmp_path / "outside.txt"  # what happens within the folder is played
    assert outside.read_text() == "run\n"
    outside.unlink()
    again, (shown,) = play(root, "replay")
    assert again == said
    assert (shown.output, shown.exit_code) == ("one\n", 3)
    assert (shown.status, shown.title) == (card.status, card.title)
    assert shown.terminal is not None
    assert (shown.terminal.running, shown.terminal.released) == (False, True)
    assert not outside.exists()
