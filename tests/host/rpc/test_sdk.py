"""The models of the protocol's SDK: when they are imported, and what they do not take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import acp.schema
import pytest

import acp_jupyter.host.rpc
from acp_jupyter.errors import AgentRequestError, AgentStartError
from tests.support.agents.connection import talk_to
from tests.support.agents.fake_agent import fake_agent

_BEFORE_AND_AFTER = """
import sys
from pathlib import Path
from tests.support.agents.fake_agent import script
from tests.support.host.driver import driving
with driving(Path(sys.argv[1]), {"a": script("hello")}) as driver:
    print("acp" in sys.modules)
    session = driver.open("a")
    driver.done(session, driver.prompt(session))
    print("acp" in sys.modules)
"""


def test_they_are_imported_when_the_first_agent_starts(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _BEFORE_AND_AFTER, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.asyncio
async def test_a_version_that_is_not_supported_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(acp.schema, "DeleteSessionRequest")
    monkeypatch.delitem(sys.modules, "acp_jupyter.host.rpc.sdk", raising=False)
    monkeypatch.delattr(acp_jupyter.host.rpc, "sdk", raising=False)
    with pytest.raises(AgentStartError, match=r"pip install \"agent-client-protocol>=0\.11,<2\""):
        async with talk_to(fake_agent("hello"), tmp_path):
            pass


@pytest.mark.asyncio
async def test_what_is_not_valid_is_not_sent(tmp_path: Path) -> None:
    async with talk_to(fake_agent("hello"), tmp_path) as talk:
        sent = len(talk.entries)
        params = {"sessionId": talk.session_id, "modeId": 3}
        with pytest.raises(AgentRequestError, match=r"session/set_mode: modeId must be text\."):
            await talk.connection.request("session/set_mode", params, talk)
        assert len(talk.entries) == sent
