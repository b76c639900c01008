"""Which agents need a login, as far as their sessions have told."""

from __future__ import annotations

import pytest

from acp_jupyter.api.commands.agents import LoginMemory
from acp_jupyter.host.registry_entries import AgentReport
from acp_jupyter.transcript.model.session_state import SessionState
from tests.support.transcript.traffic import Script

REPORT = AgentReport("demo", "Demo", "ready")


def state(session_id: str, **more: str) -> SessionState:
    known = Script().transcript.session
    return known.model_copy(update={"session_id": session_id, **more})


@pytest.fixture
def memory() -> LoginMemory:
    memory = LoginMemory()
    memory.update([state("s1", needs_login="Log in first.")])
    return memory


def test_an_agent_needs_a_login_when_one_of_its_sessions_says_so(memory: LoginMemory) -> None:
    entry = memory.entry(REPORT)
    assert (entry.status, entry.detail) == ("needs_login", "Log in first.")
    memory.update([])  # the session is closed
    assert memory.entry(REPORT).status == "needs_login"


def test_an_agent_that_does_not_run_here_needs_no_login_first(memory: LoginMemory) -> None:
    missing = AgentReport("demo", "Demo", "not_installed")
    assert memory.entry(missing).status == "not_installed"


@pytest.mark.parametrize(
    "later",
    [
        state("s1"),
        state("s2", agent_session_id="a1"),
    ],
    ids=["it says so no more", "it has opened another session"],
)
def test_an_agent_that_works_needs_no_login(memory: LoginMemory, later: SessionState) -> None:
    memory.update([later])
    assert memory.entry(REPORT).status == "ready"


def test_a_session_that_only_exists_says_nothing(memory: LoginMemory) -> None:
    memory.update([state("s2")])
    assert memory.entry(REPORT).status == "needs_login"
