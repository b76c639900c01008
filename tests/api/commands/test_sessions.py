"""When the agent of a new session starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_jupyter.api.access import UserCaller
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from tests.support.agents.fake_agent import script
from tests.support.host.commands import CommandSender
from tests.support.host.trusted_folders import trusting
from tests.support.wait import eventually

USER = UserCaller("ada")


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[CommandSender]:
    root = tmp_path / "ws"
    root.mkdir()
    registry = Registry({"own": script("own_tools")}, [])
    host = AgentHost(HostConfig(registry, root, tmp_path / "data", trust=trusting(tmp_path)))
    host.start()
    yield CommandSender(host, root)
    host.stop()


def test_it_is_waited_for_where_that_is_asked_for(sender: CommandSender) -> None:
    assert sender.make(USER, agent="own", start="wait").agent.running


def test_it_starts_meanwhile_or_with_the_first_prompt(sender: CommandSender) -> None:
    lazy = sender.make(USER, agent="own", start="lazy", new=True)
    meanwhile = sender.make(USER, agent="own", start="background", new=True)
    eventually(lambda: meanwhile.agent.running)
    assert not lazy.agent.running
