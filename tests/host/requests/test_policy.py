"""What a policy may answer: only what it has evidence for."""

from __future__ import annotations

from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.requests.policy import decide
from acp_jupyter.protocol.host_events.notes import PolicyChanged, TurnQueued
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.events import TurnStarted
from acp_jupyter.transcript.model.tool_items import PermissionOption, ToolCall
from tests.support.transcript.traffic import Script

ONCE = PermissionOption(option_id="once", name="Allow once", option_kind="allow_once")
ALWAYS = PermissionOption(option_id="always", name="Always", option_kind="allow_always")
NO = PermissionOption(option_id="no", name="Reject", option_kind="reject_once")
OPTIONS = (ALWAYS, ONCE, NO)


def call(**fields: Any) -> ToolCall:
    return ToolCall(id="i1", tool_call_id="c1", title="x", **fields)


def chosen(
    policy: Policy, tool_call: ToolCall, options: tuple[PermissionOption, ...]
) -> str | None:
    decision = decide(policy, tool_call, options)
    return None if decision is None else decision.option_id


EDIT = call(tool_kind="edit", path="src/a.py", locations=(Location(path="src/a.py"),))


@pytest.mark.parametrize(
    ("policy", "tool_call", "answer"),
    [
        ("ask", EDIT, None),
        ("accept-edits", EDIT, "once"),
        ("accept-edits", call(tool_kind="edit"), None),
        ("accept-edits", call(tool_kind="edit", path="/etc/passwd"), None),
        ("accept-edits", call(tool_kind="edit", path="../other/a.py"), None),
        (
            "accept-edits",
            call(tool_kind="edit", path="a.py", locations=(Location(path="b/../../c.py"),)),
            None,
        ),
        ("accept-edits", call(tool_kind="edit", path=".git/hooks/pre-commit"), None),
        ("accept-edits", call(tool_kind="edit", path="src/conftest.py"), None),
        ("accept-edits", call(tool_kind="edit", path="deploy/.ENV.local"), None),
        ("accept-edits", call(tool_kind="execute", command="ls"), None),
        ("accept-edits", call(tool_kind="delete", path="src/a.py"), None),
        ("read-only", call(tool_kind="read", path="a.py"), "once"),
        ("read-only", EDIT, "no"),
        ("deny", call(tool_kind="read", path="a.py"), "no"),
        ("allow-all", call(tool_kind="execute", command="ls"), "once"),
        ("allow-all", call(tool_kind="other", path="a.py"), None),
        ("allow-all", call(tool_kind="execute"), None),
    ],
)
def test_policies_answer_on_evidence_only(
    policy: Policy, tool_call: ToolCall, answer: str | None
) -> None:
    assert chosen(policy, tool_call, OPTIONS) == answer


@pytest.mark.parametrize("policy", get_args(Policy))
def test_no_policy_ever_chooses_always(policy: Policy) -> None:
    assert chosen(policy, EDIT, (ALWAYS,)) is None


def test_several_single_allows_are_a_question() -> None:
    red = ONCE.model_copy(update={"option_id": "red"})
    for policy in get_args(Policy):
        assert chosen(policy, EDIT, (ONCE, red, NO)) is None


@pytest.mark.parametrize(("policy", "of"), [("allow-all", ONCE), ("deny", NO)])
def test_an_option_with_an_empty_id_is_chosen_like_any_other(
    policy: Policy, of: PermissionOption
) -> None:
    never = NO.model_copy(update={"option_id": "never", "option_kind": "reject_always"})
    options = [o.model_copy(update={"option_id": ""}) if o is of else o for o in OPTIONS]
    assert chosen(policy, EDIT, (*options, never)) == ""


def test_an_unknown_kind_is_never_chosen() -> None:
    odd = PermissionOption(option_id="odd", name="Sure", option_kind="approve")
    assert chosen("allow-all", EDIT, (odd,)) is None


CALLS = st.builds(
    call,
    tool_kind=st.sampled_from(get_args(AcpKind)),
    path=st.sampled_from(["", "a.py", "../a.py", "/x", ".git/config", "src/b.py"]),
    command=st.sampled_from(["", "ls", "rm -r ."]),
)
LESS: dict[str, Any] = {"tool_kind": "other", "path": "", "locations": (), "command": ""}


@given(
    policy=st.sampled_from(get_args(Policy)),
    tool_call=CALLS,
    taken=st.sets(st.sampled_from(sorted(LESS)), min_size=1),
)
def test_taking_evidence_away_never_turns_a_question_into_a_grant(
    policy: Policy, tool_call: ToolCall, taken: set[str]
) -> None:
    if chosen(policy, tool_call, OPTIONS) is None:
        poorer = tool_call.model_copy(update={name: LESS[name] for name in taken})
        assert chosen(policy, poorer, OPTIONS) != "once"


def test_who_goes_back_to_asking_is_asked_at_once() -> None:
    script = Script()
    for turn_id, policy in (("t1", "allow-all"), ("t2", "allow-all"), ("t3", "read-only")):
        script.note(TurnQueued(turn_id=turn_id, prompt=(), policy=cast("Policy", policy)))
    script.note(PolicyChanged(policy="accept-edits"))
    assert script.transcript.session.policy == "accept-edits"
    assert script.transcript.turns["t1"].policy == "allow-all"
    script.note(PolicyChanged(policy="ask"))
    policies = {turn_id: turn.policy for turn_id, turn in script.transcript.turns.items()}
    assert policies == {"t1": "ask", "t2": "ask", "t3": "read-only"}
    told = [event.turn.turn_id for event in script.events[-3:] if isinstance(event, TurnStarted)]
    assert told == ["t1", "t2"]
