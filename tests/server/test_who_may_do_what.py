"""Which field of which command counts when a kernel sends it: every field of every command.

A kernel's proof stands for code that may be anybody's. So a new field fails here until somebody
has said what a kernel may do with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_jupyter.api.access import Caller, KernelCaller, UserCaller
from acp_jupyter.api.models.command_table import require_read_only
from acp_jupyter.errors import AcpError, FolderNotTrusted, NotAllowed
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.items import Notice, TrustRequest
from tests.support.agents.fake_agent import script
from tests.support.features import tables
from tests.support.host.commands import MODELS, CommandSender, example
from tests.support.server.kernel_fields import (
    AGENTS,
    FORCED,
    LESS,
    LOOKS,
    MADE,
    NAMES,
    NEVER,
    OWN,
    PROVEN,
    SAYS,
    Fields,
    never,
)
from tests.support.wait import PATIENCE_SECONDS, eventually

USER = UserCaller("ada")
KERNEL = KernelCaller("k1", "book.ipynb")
OTHER = KernelCaller("k2", "book.ipynb")
POLICIES: tuple[Policy, ...] = ("ask", "read-only", "accept-edits", "allow-all", "deny")

TABLE: dict[str, Fields] = {
    "list_agents": {"notebook_path": FORCED},
    "serve_agent": {"agent": SAYS, "address": PROVEN, "key": PROVEN},
    "get_registry": {},
    "get_sandboxes": {},
    "update_registry": {"": NEVER},
    "list_sessions": {},
    "create_session": {
        "agent": MADE,
        "cwd": MADE,
        "notebook_path": FORCED,
        "label": NAMES,
        "new": MADE,
        "mode": AGENTS,
        "model": AGENTS,
        "policy": OWN,
        "sandbox": OWN,
        "in_copy": MADE,
        "network": LESS,
        "trust": OWN,
        "ask_trust": OWN,
        "start": SAYS,
        "record": SAYS,
        "tools": LESS,
    },
    "keep_variant": {"turn_id": NAMES, "paths": LOOKS, "hunks": LESS, "undo": SAYS},
    "get_session": {"session_id": NAMES},
    "get_usage": {"session_id": NAMES},
    "close_session": {"session_id": NAMES},
    "delete_session": never("session_id"),
    "archive_session": never("session_id"),
    "unarchive_session": never("session_id"),
    "fork_session": {"session_id": NAMES},
    "resume_session": {"session_id": NAMES},
    "list_agent_sessions": never("agent", "cwd", "cursor", "archived"),
    "open_agent_session": never("agent", "agent_session_id", "cwd", "title", "trust"),
    "prompt": {
        "session_id": NAMES,
        "prompt": SAYS,
        "policy": OWN,
        "sandbox": OWN,
        "origin": FORCED,
        "can_ask": LESS,
        "allow": OWN,
        "deny": OWN,
        "unpinned": LESS,
        "limit": LESS,
    },
    "cancel": {"session_id": NAMES, "turn_id": NAMES, "reason": SAYS},
    "answer_permission": never(
        "session_id", "request_id", "option_id", "outcome", "remember", "wider_rule", "reason"
    ),
    "set_config": {
        "session_id": NAMES,
        "config": AGENTS,
        "mode": AGENTS,
        "policy": NEVER,
        "sandbox": NEVER,
        "network": LESS,
        "limit": LESS,
        "turn_limit": LESS,
        "title": SAYS,
    },
    "get_items": {"session_id": NAMES, "start": LOOKS, "end": LOOKS, "turn_id": LOOKS},
    "get_cell": {"session_id": NAMES, "number": LOOKS},
    "get_context": {"session_id": NAMES, "notebook_path": FORCED},
    "redact_text": never("session_id", "text"),
    "get_turn": {"turn_id": NAMES, "start": LOOKS, "wait_seconds": LOOKS},
    "attach_turn": never("turn_id", "notebook_path", "cell_id"),
    "get_records": never(
        "notebook_path", "turn_ids", "after", "epoch", "ended_after", "unfinished"
    ),
    "get_transcript": {
        "session_id": NAMES,
        "turn_id": LOOKS,
        "format": LOOKS,
        "thoughts": LOOKS,
    },
    "get_traffic": {
        "session_id": NAMES,
        "after": LOOKS,
        "before": LOOKS,
        "limit": LOOKS,
        "direction": LOOKS,
        "method": LOOKS,
        "text": LOOKS,
        "gather": LOOKS,
        "wait_seconds": LOOKS,
    },
    "get_traffic_line": {"session_id": NAMES, "place": LOOKS, "end": LOOKS},
    "search_sessions": never("text", "cursor"),
    "import_log": {"content": SAYS, "file_name": SAYS, "dialect": SAYS, "log_session": SAYS},
    "start_import": {"content": SAYS, "file_name": SAYS, "dialect": SAYS, "log_session": SAYS},
    "get_import": {"import_id": NAMES, "wait_seconds": LOOKS},
    "cancel_import": {"import_id": NAMES},
    "answer_elicitation": never("session_id", "request_id", "action", "content"),
    "edit_queued": never("turn_id", "prompt"),
    "send_now": {"turn_id": NAMES},
    "steer": {"turn_id": NAMES},
    "kill_terminal": {"session_id": NAMES, "terminal_id": NAMES},
    "cancel_tool_call": {"session_id": NAMES, "tool_call_id": NAMES},
    "run_outside": never("session_id", "tool_call_id"),
    "get_changes": {"turn_id": NAMES, "path": LOOKS, "earlier": NAMES, "form": LOOKS},
    "list_changing_sessions": {"path": LOOKS},
    "revert_turn": {
        "turn_id": NAMES,
        "paths": LESS,
        "hunks": LESS,
        "earlier": NAMES,
        "undo": SAYS,
        "partial": SAYS,
        "authors": SAYS,
        "in_document": NEVER,
    },
    "allow_download": never("agent", "package", "run"),
    "restart_agent": never("agent"),
    "login": never("session_id", "method_id"),
    "cancel_login": never("session_id"),
    "logout": never("session_id"),
    "list_rules": {"session_id": NAMES},
    "revoke_rule": {"rule_id": LESS},
    "trust_folder": never("folder", "session_id", "request_id", "trust"),
    "list_trust": {"": NEVER},
    "revoke_trust": never("folder"),
    **tables("KERNEL_FIELDS"),
}

LOOKING = {
    "cancel",
    "cancel_import",
    "get_changes",
    "get_import",
    "get_registry",
    "get_sandboxes",
    "get_session",
    "get_traffic",
    "get_transcript",
    "get_turn",
    "get_usage",
    "list_agents",
    "list_rules",
    "list_sessions",
}
"""What is left to a kernel while it runs an agent's code."""


@pytest.fixture
def sender(tmp_path: Path) -> Iterator[CommandSender]:
    root = tmp_path / "ws"
    root.mkdir()
    agents = {name: script(name) for name in ("slow_stream", "chooses", "asks")}
    host = AgentHost(HostConfig(Registry(agents, []), root, tmp_path / "data"))
    host.start()
    sender = CommandSender(host, root)
    yield sender
    sender.settle()
    host.stop()


def test_every_field_of_every_command_has_an_answer() -> None:
    known = {name: set(model.model_fields) - {"name"} for name, model in MODELS.items()}
    assert {name: set(fields) - {""} for name, fields in TABLE.items()} == known


@pytest.mark.parametrize("name", TABLE)
def test_agents_code_only_looks(sender: CommandSender, name: str) -> None:
    session = sender.make(USER)
    command = example(name, session, "turn")
    if name in LOOKING:
        require_read_only(command)
    else:
        with pytest.raises(NotAllowed):
            require_read_only(command)


@pytest.mark.parametrize(
    ("name", "field"),
    [(name, field) for name, row in TABLE.items() for field in row if row[field] == NEVER],
)
def test_what_is_the_users_alone(sender: CommandSender, name: str, field: str) -> None:
    session = sender.make(USER)
    turn_id = sender.say(USER, session).turn_id
    command = example(name, session, turn_id)
    other = {"policy": "ask", "sandbox": "off", "in_document": True}
    if set(TABLE[name].values()) != {NEVER}:
        command = command.model_copy(update={field: other[field]})
    with pytest.raises(NotAllowed):
        sender.host.submit(sender.dispatcher.handle(command, KERNEL)).result(PATIENCE_SECONDS)


@pytest.mark.parametrize(
    "name", [n for n, row in TABLE.items() if {"session_id", "turn_id"} & {*row}]
)
def test_a_kernel_finds_nothing_of_another_notebook(sender: CommandSender, name: str) -> None:
    session = sender.make(USER, notebook_path="other.ipynb")
    turn_id = sender.say(USER, session).turn_id
    command = example(name, session, turn_id)
    if "session_id" in type(command).model_fields:  # it may be left out
        command = command.model_copy(update={"session_id": session.session_id})
    with pytest.raises(AcpError) as refused:
        sender.host.submit(sender.dispatcher.handle(command, KERNEL)).result(PATIENCE_SECONDS)
    assert refused.value.reason in {"unknown_session", "unknown_turn", "not_allowed"}


WISHES: list[tuple[str, dict[str, Any]]] = [
    *(("create_session", {"policy": policy}) for policy in POLICIES),
    *(("create_session", {"policy": policy, "new": True}) for policy in POLICIES),
    ("create_session", {"policy": "allow-all", "label": "review"}),
    ("create_session", {"trust": True}),
    *(("prompt", {"policy": policy}) for policy in POLICIES),
    ("prompt", {"allow": ["execute:git *", "edit"], "policy": "allow-all"}),
    ("prompt", {"allow": ["execute:rm *"], "can_ask": False}),
    *((name, {"sandbox": "folder"}) for name in ("create_session", "prompt")),
    ("set_config", {"title": "A title"}),
    ("fork_session", {}),
]
"""What a kernel may ask for."""


@pytest.mark.parametrize("before", [None, "read-only", "allow-all"])
@pytest.mark.parametrize(("name", "fields"), WISHES)
def test_what_a_kernel_asks_for_never_counts_for_a_page(
    sender: CommandSender, name: str, fields: dict[str, Any], before: Policy | None
) -> None:
    session = sender.make(USER)
    if before is not None:
        sender.send(USER, "set_config", session_id=session.session_id, policy=before)
    if name == "create_session":
        made = {"agent": "demo", "start": "lazy"}
        session = sender.host.sessions[sender.send(KERNEL, name, **made, **fields).session_id]
    else:
        text = {"prompt": "Hi"} if name == "prompt" else {}
        try:
            sender.send(KERNEL, name, session_id=session.session_id, **text, **fields)
        except AcpError as error:
            assert name == "fork_session", error  # noqa: PT017 - the demo can't
    own = session.state.policy
    assert own == (before if before is not None and len(sender.host.sessions) == 1 else own)
    assert own in {before, "ask"}
    for caller in (USER, OTHER):
        turn = sender.say(caller, session)
        assert (turn.policy, turn.sandbox, turn.rules) == (own, "off", ()), caller


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([USER, KERNEL, OTHER]),
            st.sampled_from(POLICIES),
            st.sampled_from(["create_session", "prompt", "set_config"]),
        ),
        max_size=8,
    )
)
def test_a_pages_prompt_runs_as_its_user_has_said(
    sender: CommandSender, steps: list[tuple[Caller, Policy, str]]
) -> None:
    session = sender.make(USER, new=True)
    said: Policy = "ask"
    chosen: dict[Caller, Policy] = {}
    for caller, policy, name in steps:
        if name == "create_session":
            again = sender.make(caller, policy=policy)
            assert again is session
            chosen |= {} if caller == USER else {caller: policy}
        elif name == "prompt":
            assert sender.say(caller, session, policy=policy).policy == policy
        elif caller == USER:
            sender.send(USER, name, session_id=session.session_id, policy=policy)
            said = policy
        assert session.state.policy == said
    assert sender.say(USER, session).policy == said
    for kernel in (KERNEL, OTHER):
        assert sender.say(kernel, session).policy == chosen.get(kernel, said)
    sender.settle()
    sender.send(USER, "delete_session", session_id=session.session_id)


def test_the_policy_of_a_kernel_holds_for_its_own_prompts(sender: CommandSender) -> None:
    session = sender.make(KERNEL, policy="accept-edits")
    assert sender.say(KERNEL, session).policy == "accept-edits"
    assert sender.say(KERNEL, session, policy="deny").policy == "deny"
    assert sender.say(OTHER, session).policy == "ask"


EDITED: list[tuple[Policy, Policy, Policy]] = [
    # the cell's, the session's, that of the prompt as its user has edited it
    ("allow-all", "ask", "ask"),
    ("allow-all", "accept-edits", "accept-edits"),
    ("allow-all", "deny", "deny"),
    ("accept-edits", "ask", "ask"),
    ("accept-edits", "allow-all", "accept-edits"),
    ("accept-edits", "read-only", "ask"),
    ("read-only", "accept-edits", "ask"),
    ("read-only", "ask", "ask"),
    ("deny", "allow-all", "deny"),
    ("ask", "allow-all", "ask"),
]


@pytest.mark.parametrize(("cell", "own", "edited"), EDITED)
def test_a_message_that_its_user_edits_is_theirs(
    sender: CommandSender, cell: Policy, own: Policy, edited: Policy
) -> None:
    sender.send(USER, "trust_folder", folder=str(sender.root))
    session = sender.make(USER, agent="slow_stream")
    sender.send(USER, "set_config", session_id=session.session_id, policy=own)
    sender.say(USER, session, "go on")
    rules = {"allow": ["execute:rm *"], "deny": ["edit:src/**"]}
    turn = sender.say(KERNEL, session, "later", policy=cell, **rules)
    assert turn.policy == cell
    sender.send(USER, "edit_queued", turn_id=turn.turn_id, prompt="other words")
    now = session.transcript.turns[turn.turn_id]
    assert (now.prompt, now.policy) == ("other words", edited)
    assert [rule.effect for rule in now.rules] == ["deny"]


@pytest.mark.parametrize(("cell", "own", "then"), [e for e in EDITED if e[0] == "accept-edits"])
@pytest.mark.parametrize("caller", [USER, KERNEL])
def test_the_reason_of_a_no_is_a_message_of_its_user(
    sender: CommandSender, caller: Caller, cell: Policy, own: Policy, then: Policy
) -> None:
    sender.send(USER, "trust_folder", folder=str(sender.root))
    session = sender.make(USER, agent="asks")
    sender.send(USER, "set_config", session_id=session.session_id, policy=own)
    call = {"toolCallId": "c", "kind": "execute", "title": "make", "rawInput": {"command": "make"}}
    rules = {"deny": ["edit:src/**"], "allow": ["edit"]}
    sender.say(caller, session, json.dumps({"ask": [call]}), policy=cell, **rules)
    request_id = sender.asked(session)
    answer = {"request_id": request_id, "option_id": "no", "reason": "Not that."}
    sender.send(USER, "answer_permission", session_id=session.session_id, **answer)
    reason = session.transcript.turns[session.transcript.turn_order[-1]]
    assert "Not that." in reason.prompt
    assert reason.policy == (cell if caller == USER else then)
    assert [rule.effect for rule in reason.rules] == ["deny"]


def question(session: Session) -> TrustRequest:
    def find() -> TrustRequest | None:
        items = (item for item in session.transcript.items if isinstance(item, TrustRequest))
        return next((item for item in items if item.state == "pending"), None)

    found = eventually(find, what="the question")
    assert found is not None
    return found


def test_a_kernels_trust_is_not_the_pages(sender: CommandSender) -> None:
    session = sender.make(KERNEL, agent="chooses", trust=True)
    assert sender.done(session, sender.say(KERNEL, session).turn_id).stop_reason == "end_turn"
    first, second = sender.say(USER, session), sender.say(USER, session)
    question(session)
    sender.make(KERNEL, agent="chooses", trust=True)
    asked = question(session)  # no kernel answers it
    no = {"session_id": session.session_id, "request_id": asked.request_id, "trust": False}
    sender.send(USER, "trust_folder", **no)
    failure = sender.done(session, first.turn_id).failure
    assert failure is not None
    assert failure.reason == FolderNotTrusted.reason
    question(session)
    sender.send(USER, "cancel", session_id=session.session_id, turn_id=second.turn_id)
    assert sender.done(session, second.turn_id).stop_reason == "cancelled"
    assert sender.done(session, sender.say(KERNEL, session).turn_id).stop_reason == "end_turn"
    third = sender.say(USER, session)
    yes = {"request_id": question(session).request_id, "trust": True}
    sender.send(USER, "trust_folder", session_id=session.session_id, **yes)
    assert sender.done(session, third.turn_id).stop_reason == "end_turn"
    assert sender.done(session, sender.say(USER, session).turn_id).stop_reason == "end_turn"


@pytest.mark.parametrize("choice", [{"mode": "plan"}, {"config": {"web": True}}])
def test_what_a_kernel_chooses_at_the_agent_is_told(
    sender: CommandSender, choice: dict[str, Any]
) -> None:
    sender.send(USER, "trust_folder", folder=str(sender.root))
    session = sender.make(USER, agent="chooses")
    sender.done(session, sender.say(USER, session).turn_id)

    def told() -> list[str]:
        return [item.text for item in session.transcript.items if isinstance(item, Notice)]

    for _ in range(2):
        sender.send(KERNEL, "set_config", session_id=session.session_id, **choice)
    words = {"mode": "Mode: Plan only", "config": "Web search: True"}[next(iter(choice))]
    assert told() == [f"A cell of the notebook chose {words}. It applies to your messages, too."]
    back = {"mode": "ask"} if "mode" in choice else {"config": {"web": False}}
    sender.send(USER, "set_config", session_id=session.session_id, **back)
    assert len(told()) == 1


def test_no_kernel_turns_tools_on_that_a_user_has_turned_off(sender: CommandSender) -> None:
    session = sender.make(USER, tools=False)
    assert sender.make(KERNEL, tools=True) is session
    assert not session.tools_on
    other = sender.make(KERNEL, tools=False, label="cells")
    assert sender.make(KERNEL, tools=True, label="cells") is other
    assert other.tools_on


def test_a_kernel_cannot_raise_what_a_user_limited(sender: CommandSender) -> None:
    session_id = sender.make(KERNEL).session_id

    def limit(caller: Caller, words: str, field: str = "limit") -> str:
        state = sender.send(caller, "set_config", session_id=session_id, **{field: words})
        return str(state.limit)

    assert [limit(KERNEL, words) for words in ("9 calls", "20 calls")] == ["9 calls", "20 calls"]
    assert limit(USER, "10 calls, 1 h") == "10 calls, 1 h"
    assert limit(KERNEL, "8 calls, 1 h") == "8 calls, 1 h"
    assert limit(KERNEL, "5 calls", "turn_limit") == "8 calls, 1 h"
    for words in ("", "9 calls", "8 calls", "8 calls, 2 h", "8 calls, 1 h, nonsense"):
        with pytest.raises(AcpError):
            limit(KERNEL, words)
    limit(USER, "")
    limit(USER, "", "turn_limit")
    assert limit(KERNEL, "30 calls") == "30 calls"
