"""Whether an agent has been told what was said before its session went on from an earlier turn."""

from __future__ import annotations

import pytest

from acp_jupyter.host.sessions.branching import goes_on_from_branch, history_text
from acp_jupyter.protocol.host_events.session import Branch, SessionBranched
from tests.support.transcript.traffic import Script


def is_to_be_told(script: Script, told_in: str) -> bool:
    branch = Branch(session_id="s0", turn_id="t0", told_in=told_in)
    script.note(SessionBranched(branch=branch))
    return goes_on_from_branch(script.transcript)


def test_it_is_told_with_the_first_prompt_that_the_agent_takes() -> None:
    script = Script()
    assert not goes_on_from_branch(script.transcript)
    assert is_to_be_told(script, "")
    prompt = script.turn()
    assert is_to_be_told(script, "t1")  # it may still fail
    script.end(prompt)
    assert not is_to_be_told(script, "t1")


@pytest.mark.parametrize("reason", ["refusal", "cancelled", "max_tokens"])
def test_a_prompt_that_was_taken_has_told_it(reason: str) -> None:
    script = Script()
    script.end(script.turn(), reason)
    assert not is_to_be_told(script, "t1")


def test_it_is_told_again_after_an_error() -> None:
    script = Script()
    script.line("<", {"id": 1, "error": {"code": -32603, "message": "No."}}, script.turn())
    assert is_to_be_told(script, "t1")
    script.end(script.turn("Again", "t2"))
    assert not is_to_be_told(script, "t1")


def test_of_no_turns_nothing_is_told() -> None:
    assert history_text(Script().transcript, 1000) == ""
