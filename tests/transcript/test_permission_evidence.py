"""What a request says beside a command or its paths: shown, and never covered by a rule."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.kernel.turn.stdin_questions import ask_permission
from acp_jupyter.protocol.host_events.session import Policy
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.bundle import build_bundle
from acp_jupyter.transcript.output.html import html_page
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.acceptance.shown import only
from tests.support.host.permission_answers import answer, asked, rule
from tests.support.transcript.traffic import Script

Json = dict[str, Any]
WS = Path("/ws")
CODEX = {
    "call_id": "call_1",
    "turn_id": "01a1",
    "process_id": "78327",
    "started_at_ms": 1795196067926,
    "cwd": "/ws",
    "reason": "Do you want to allow this?",
    "proposed_execpolicy_amendment": ["make", "test"],
    "available_decisions": ["approved", "abort"],
    "parsed_cmd": [{"type": "unknown", "cmd": "make test"}],
    "source": "unified_exec_startup",
}

# What real agents send with a plain command: a rule for the command covers it.
PLAIN: list[Json] = [
    {"command": "make test"},
    {"command": ["/bin/bash", "-lc", "make test"], **CODEX},
    {"command": "make test", "cwd": "/ws"},
    {"command": "make test", "cwd": "/ws/"},
    {"command": "make test", "cwd": "."},
    {"command": "make test", "description": "Run the tests", "timeout": 120000},
    {"command": "make test", "run_in_background": False, "dangerouslyDisableSandbox": False},
    {"command": "make test", "workdir": "/ws", "timeout": 60_000.0, "description": "Test"},
    {"command": "make test", "directory": "", "is_background": False, "description": None},
    {"cmd": "make test", "yield_time_ms": 1000, "sandbox_permissions": "use_default"},
    {"command": "make test", "env": {}, "args": [], "stdin": ""},
]

# With these a rule does not match, ``Always`` is not offered, and the card says so.
# The last: what ``allow-all`` does.
MORE: list[tuple[Json, str, list[str], str | None]] = [
    ({"cwd": "/ws/sub"}, "sub", [], "once"),
    ({"cwd": "/etc"}, "/etc", [], "once"),
    ({"cwd": "/ws/../etc"}, "../etc", [], "once"),
    ({"workdir": ".."}, "..", [], "once"),
    ({"run_in_background": True}, "", ["run_in_background"], "once"),
    ({"cwd": "/ws/a", "workdir": "/ws/b"}, "a", ["workdir"], None),
    ({"cwd": ["/ws"]}, "", ["cwd"], None),
    ({"env": {"PATH": "/tmp/evil"}}, "", ["env"], None),
    ({"args": ["--evil"]}, "", ["args"], None),
    ({"shell": "/tmp/evil"}, "", ["shell"], None),
    ({"stdin": "rm -r ."}, "", ["stdin"], None),
    ({"sandbox_permissions": "require_escalated"}, "", ["sandbox_permissions"], None),
    ({"with_escalated_permissions": True}, "", ["with_escalated_permissions"], None),
    ({"additional_permissions": {"network": True}}, "", ["additional_permissions"], None),
    ({"dangerouslyDisableSandbox": True}, "", ["dangerouslyDisableSandbox"], None),
    ({"source": "unified_exec_interaction", "interaction_input": "y"}, "",
     ["source", "interaction_input"], None),
    ({"sandbox": False}, "", ["sandbox"], None),
    ({"timeout": {"x": 1}}, "", ["timeout"], None),
    ({"description": ["x"]}, "", ["description"], None),
    ({"cmd": "rm -r ."}, "", ["cmd"], None),
    ({"сommand": "rm -r ."}, "", ["сommand"], None),
    ({"anything": 1}, "", ["anything"], None),
]  # fmt: skip


@pytest.mark.parametrize("raw_input", PLAIN, ids=json.dumps)
def test_a_plain_command_is_covered_by_its_rule(raw_input: Json) -> None:
    call = asked("execute", raw_input)
    assert call.permission is not None
    assert (call.permission.folder, call.permission.details) == ("", ())
    assert call.permission.rule == "execute:make test"
    assert answer(call, rule("execute:make test"), root=WS) == "once"
    assert answer(call, policy="allow-all", root=WS) == "once"


@pytest.mark.parametrize(("more", "folder", "names", "allow_all"), MORE, ids=str)
def test_consent_to_a_command_is_consent_to_all_of_it(
    more: Json, folder: str, names: list[str], allow_all: str | None
) -> None:
    call = asked("execute", {"command": "make test", **more})
    assert call.permission is not None
    assert call.permission.folder == folder
    assert [detail.name for detail in call.permission.details] == names
    assert call.permission.rule == ""
    for scope in ("turn", "session"):
        allowing = rule("execute:make *", scope=scope)
        assert answer(call, allowing, root=WS) is None
    assert answer(call, policy="allow-all", root=WS) == allow_all
    assert answer(call, rule("execute:make *", "deny"), policy="allow-all", root=WS) == "no"


def test_a_program_in_a_field_is_not_past_a_denial() -> None:
    call = asked("execute", {"command": "sh", "args": ["-c", "rm -r ."]})
    assert answer(call, rule("execute:rm *", "deny"), policy="allow-all", root=WS) is None


def test_what_is_not_a_shell_is_shown_with_its_command() -> None:
    call = asked("execute", {"command": ["/tmp/bash", "-lc", "make test"]})
    assert call.command == "/tmp/bash -lc 'make test'"
    assert answer(call, rule("execute:make test"), root=WS) is None


def test_all_fields_of_a_command_are_shown_whole() -> None:
    call = asked(
        "execute", {"command": "ls", "env": "x" * 90_000, **{f"f{n}": 1 for n in range(50)}}
    )
    assert call.permission is not None
    details = call.permission.details
    assert (len(details), len(details[0].value)) == (51, 90_000)
    assert not call.permission.too_large


def test_all_of_it_is_shown_wherever_it_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-ant-api03-abcdefghijklmnop"
    env = {"PATH": "/tmp/\u202eevil", "TOKEN": secret}
    script = Script()
    script.turn()
    script.ask(
        {
            "toolCallId": "c1",
            "kind": "execute",
            "rawInput": {"command": "make test", "cwd": "/ws/sub", "env": env},
        }
    )
    call = only(script, ToolCall)
    assert call.permission is not None

    class Client:
        def call(self, command: object, seconds: float) -> dict[str, str]:
            return {}

    monkeypatch.setattr("builtins.input", lambda _words: "1")
    ask_permission(cast("HostClient", Client()), "s1", call, call.permission)
    question = capsys.readouterr().out
    assert "  Folder: sub" in question
    assert '  env: {"PATH": "/tmp/\\u{202e}evil"' in question

    turn, session = script.transcript.turns["t1"], script.transcript.session
    bundle = build_bundle(turn, [call], session)
    page = html_page(session, [turn], [call], Scrubber.of_session(session, Redactor()))
    for saved in (str(bundle.data["text/markdown"]), page):
        assert "Folder" in saved
        assert "sub" in saved
        assert "env" in saved
    assert secret not in json.dumps(bundle.data) + page


NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(["cwd", "env", "args", "timeout"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


@given(more=st.dictionaries(NAMES, VALUES, max_size=3))
def test_a_rule_matches_only_what_the_card_says_nothing_more_of(more: Json) -> None:
    call = asked("execute", {**more, "command": "make test"})
    assert call.permission is not None
    silent = not call.permission.details and not call.permission.folder
    matches = answer(call, rule("execute:make test"), root=WS) == "once"
    assert matches == silent == bool(call.permission.rule)


# -- paths -------------------------------------------------------------------

# Of an edit of ``a.py`` in ``/ws``: whether ``accept-edits`` allows it.
EDITS: list[tuple[Json, bool]] = [
    ({}, True),
    ({"old_string": "/etc/passwd", "new_string": "../x", "replace_all": False}, True),
    ({"content": "~/x https://example.org file:///etc"}, True),
    ({"edits": [{"old_text": "/a", "new_text": "../b"}]}, True),
    ({"description": "See /etc/hosts", "reason": "../x", "offset": 3, "mode": "append"}, True),
    ({"call_id": "call_t1x0_391808", "turn_id": "01a1fa07-1bec-7562"}, True),
    ({"path": "file:///ws/a.py"}, True),
    ({"path": "file://localhost/ws/a%20b.py"}, True),
    ({"changes": {"/ws/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-/x\n+../y\n",
                               "move_path": None}}}, True),
    ({"diff": "Index: /ws/a.py\n=====\n--- /ws/a.py\n+++ /ws/a.py\n@@ -1 +1 @@\n-/x\n+/y\n"}, True),
    ({"patch": "*** Begin Patch\n*** Update File: a.py\n@@\n-/x\n+/y\n*** End Patch"}, True),
    ({"patch": "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"}, True),
    ({"dest": "b.py"}, True),
    # What leads out, in fields that are known and in others.
    *(({name: "/etc/passwd"}, False) for name in (
        "dest", "output", "to", "uri", "target_path", "save_as", "destination", "outputPath",
        "backup", "log", "file", "newPath", "src", "whatever", "Ziel")),
    *(({"dest": value}, False) for value in (
        "../b", "~/b", "x/../../b", "file:///etc/passwd", "https://example.org/a", "ftp://x/y",
        "file://host/ws/a", "file:///ws/../etc/x", "file:///ws/%2e%2e/etc/x", "C:\\x", "\\\\x\\y",
        "vscode-remote://x/y", "file:/etc/passwd")),
    *(({"whatever": value}, False) for value in (
        "../b", "~/b", " /b", "file:///etc/passwd", "s3://a/b", "C:/x", ["/x"],
        {"a": [{"b": "/x"}]}, {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": "x"}}}}}}}})),
    ({"path": "file:///etc/passwd"}, False),
    ({"edits": [{"file_path": "/etc/passwd", "text": "x"}]}, False),
    ({"files": ["a.py", "/etc/passwd"]}, False),
    ({"files": [{"name": "/etc/passwd"}]}, False),
    ({"changes": {"/etc/passwd": {}}}, False),
    ({"changes": {"/ws/a.py": {"type": "update", "move_path": "/etc/passwd"}}}, False),
    ({"diff": "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-x\n+y\n"}, False),
    ({"diff": "diff --git a/../x b/../x\nBinary files differ\n"}, False),
    ({"patch": "*** Begin Patch\n*** Update File: /etc/passwd\n@@\n-x\n*** End Patch"}, False),
    ({"patch": "*** Begin Patch\n*** Update File: a.py\n*** Move to: ../b\n*** End Patch"}, False),
    ({"input": "*** Begin Patch\n*** Delete File: ../b\n*** End Patch"}, False),
    ({"patch": "s/x/y/"}, False),
    ({"patch": 'diff --git "a/\\303" "b/\\303"\n'}, False),
    # What lies inside and is protected.
    ({"dest": ".git/hooks/pre-commit"}, False),
    ({"whatever": ".git/hooks/pre-commit"}, False),
    ({"whatever": "conftest.py"}, False),
    ({"patch": "*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n*** End Patch"}, False),
]  # fmt: skip


@pytest.mark.parametrize(("more", "allowed"), EDITS, ids=str)
def test_an_edit_is_of_all_that_its_input_may_name(more: Json, allowed: bool) -> None:
    call = asked("edit", {"path": "/ws/a.py", **more}, locations=[{"path": "/ws/a.py"}])
    assert answer(call, policy="accept-edits", root=WS) == ("once" if allowed else None)
    understood = {*more} - {"backup", "log", "whatever", "Ziel"} == {*more}
    understood = understood and more != {"files": [{"name": "/etc/passwd"}]}
    if not allowed:
        assert answer(call, rule("edit"), root=WS) is None
        assert answer(call, policy="allow-all", root=WS) == ("once" if understood else None)
        assert answer(call, rule("edit:src/**", "deny"), policy="allow-all", root=WS) in {
            None,
            "once",
        }


@pytest.mark.parametrize("name", ["dest", "whatever"])
def test_a_rule_for_one_path_is_not_for_another_field(name: str) -> None:
    call = asked("edit", {"path": "/ws/src/a.py", name: "/ws/docs/b.py"})
    assert call.permission is not None
    assert call.permission.rule == ""
    assert [(d.name, d.value) for d in call.permission.details] == [(name, "/ws/docs/b.py")]
    assert answer(call, rule("edit:src/**"), root=WS) is None
    assert answer(call, rule("edit:**"), root=WS) == ("once" if name == "dest" else None)
    assert answer(call, rule("edit:docs/**", "deny"), policy="allow-all", root=WS) == "no"


READS: list[tuple[str, Json, Policy, str | None]] = [
    ("read", {"file_path": "/ws/a"}, "read-only", "once"),
    ("read", {"file_path": "/ws/a", "offset": 119, "limit": 20}, "read-only", "once"),
    ("read", {"path": "file:///etc/passwd"}, "read-only", "no"),
    ("read", {"path": "file:///ws/a"}, "read-only", "once"),
    ("read", {"path": "/ws/a", "also": "/etc/passwd"}, "read-only", "no"),
    ("search", {"pattern": "**/*", "path": "/ws"}, "read-only", "once"),
    ("search", {"pattern": "/etc/*", "path": "/ws"}, "read-only", "no"),
    ("search", {"pattern": "/ws/**/*.py", "path": "/ws"}, "read-only", "once"),
    ("search", {"pattern": "../**", "path": "/ws"}, "read-only", "no"),
    ("search", {"query": "/etc", "path": "/ws"}, "read-only", "once"),
    ("move", {"from": "/ws/a", "to": "/ws/b"}, "ask", None),
    ("fetch", {"url": "https://example.org/", "prompt": "Say", "timeout": 3}, "allow-all", "once"),
    ("fetch", {"url": "https://example.org/", "method": "POST"}, "allow-all", None),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "raw_input", "policy", "verdict"), READS, ids=str)
def test_reading_is_of_all_that_its_input_may_name(
    kind: str, raw_input: Json, policy: Policy, verdict: str | None
) -> None:
    assert answer(asked(kind, raw_input), policy=policy, root=WS) == verdict


@pytest.mark.parametrize("raw_input", [{"pattern": "/api/", "path": "/ws", "include": "*.py"}])
def test_what_is_looked_for_in_texts_is_no_path(raw_input: Json) -> None:
    call = asked("search", raw_input, _meta={"claudeCode": {"toolName": "Grep"}})
    assert answer(call, policy="read-only", root=WS) == "once"


def test_many_fields_cost_no_more_than_their_number() -> None:
    def seconds(fields: int) -> float:
        before = time.process_time()
        asked("edit", {"path": "/ws/a", **{f"f{n}": "/x" for n in range(fields)}})
        return time.process_time() - before

    # Other work on the machine slows single runs, and quadratic work is 16 times as slow in each.
    assert any(seconds(16_000) < 12 * seconds(4_000) for _ in range(10))


OUT = st.sampled_from(["/etc/passwd", "../x", "~/x", "file:///etc/x", "x/../../y", "ssh://h/x"])
KEYS = st.from_regex(r"[a-z]{1,8}(_[a-z]{1,4})?", fullmatch=True)
UNDERSTOOD = {"path", "content", "text", "code", "query", "title", "reason", "prompt", "regex"}


@given(key=KEYS, value=OUT, nest=st.integers(0, 3))
def test_no_field_leads_out_unseen(key: str, value: str, nest: int) -> None:
    if key.replace("_", "") in UNDERSTOOD:
        return
    held: Any = value
    for level in range(nest):
        held = {"x": held} if level % 2 else [held]
    call: ToolCall = asked("edit", {"path": "/ws/a.py", key: held})
    for policy in ("ask", "read-only", "accept-edits"):
        assert answer(call, rule("edit"), policy=policy, root=WS) != "once"
