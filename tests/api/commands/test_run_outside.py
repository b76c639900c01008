"""Who may have a command run outside its sandbox: the sender of its prompt, and no kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.errors import BadRequest, NotAllowed, UnknownToolCall
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sandbox.levels import find_level
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.agents.fake_agent import script
from tests.support.host.commands import CommandSender
from tests.support.host.trusted_folders import trusting
from tests.support.wait import eventually

pytestmark = pytest.mark.skipif(find_level().level != "full", reason="bubblewrap is needed")

ADA, BOB, KERNEL = UserCaller("ada"), UserCaller("bob"), KernelCaller("k1", "book.ipynb")


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[CommandSender]:
    root = tmp_path / "ws"
    (root / ".git").mkdir(parents=True)
    registry = Registry({"own": script("runs_commands")}, [])
    host = AgentHost(HostConfig(registry, root, tmp_path / "data", trust=trusting(tmp_path)))
    host.start()
    sender = CommandSender(host, root)
    yield sender
    sender.settle()
    host.stop()


def calls(session: Session) -> list[ToolCall]:
    state = session.transcript
    return [item for item in state.window(0, len(state.items)) if isinstance(item, ToolCall)]


def test_only_the_sender_has_it_run_and_allows_it(sender: CommandSender) -> None:
    session = sender.make(ADA, agent="own", sandbox="folder")
    turn = sender.say(ADA, session, "touch .git/made", policy="allow-all")
    sender.done(session, turn.turn_id)
    call = calls(session)[-1]
    asked: dict[str, Any] = {"session_id": session.session_id, "tool_call_id": call.tool_call_id}
    with pytest.raises(NotAllowed, match="Only ada"):
        sender.send(BOB, "run_outside", **asked)
    with pytest.raises(NotAllowed):
        sender.send(KERNEL, "run_outside", **asked)
    assert len(calls(session)) == 1
    assert sender.send(ADA, "run_outside", **asked) == {}
    answer = {"session_id": session.session_id, "request_id": sender.asked(session)}
    with pytest.raises(NotAllowed, match="Only ada"):
        sender.send(BOB, "answer_permission", option_id="allow", **answer)
    with pytest.raises(BadRequest, match="can't be remembered"):
        sender.send(ADA, "answer_permission", option_id="allow", remember="session", **answer)
    assert not (sender.root / ".git" / "made").exists()
    sender.send(ADA, "answer_permission", option_id="allow", **answer)
    eventually((sender.root / ".git" / "made").exists)


def test_what_met_no_wall_is_not_run(sender: CommandSender) -> None:
    session = sender.make(ADA, agent="own", sandbox="folder")
    turn = sender.say(ADA, session, "exit 3", policy="allow-all")
    sender.done(session, turn.turn_id)
    asked: dict[str, Any] = {"session_id": session.session_id}
    with pytest.raises(BadRequest, match="No wall"):
        sender.send(ADA, "run_outside", tool_call_id=calls(session)[-1].tool_call_id, **asked)
    with pytest.raises(UnknownToolCall):
        sender.send(ADA, "run_outside", tool_call_id="none", **asked)
