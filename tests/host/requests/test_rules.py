"""What rules match, and how they are written."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from acp_jupyter.errors import BadRequest, SharedFileBroken
from acp_jupyter.host.requests.policy import Decision, decide
from acp_jupyter.host.requests.rules import CurrentRules, facts_of, rule_on, turn_rules
from acp_jupyter.host.requests.session_folder import SessionFolder
from acp_jupyter.host.store.permission_stores import RulesStore
from acp_jupyter.protocol.host_events.session import Policy, Rule, RuleEffect, RuleScope
from acp_jupyter.protocol.packets import Location
from acp_jupyter.transcript.model.tool_items import Diff, PermissionOption, ToolCall
from acp_jupyter.transcript.permission_evidence import contents_of
from acp_jupyter.transcript.rule_text import (
    RuleTextError,
    read_rule,
    rule_for,
    rule_text,
    wider_rules_for,
)

OPTIONS = tuple(
    PermissionOption(option_id=name, name=name, option_kind=kind)
    for name, kind in (("always", "allow_always"), ("once", "allow_once"), ("no", "reject_once"))
)


def rule(text: str, effect: RuleEffect = "allow", scope: RuleScope = "session") -> Rule:
    return read_rule(text, effect=effect, scope=scope, rule_id=f"{effect} {text}")


def call(**fields: Any) -> ToolCall:
    return ToolCall(id="i1", tool_call_id="c1", title="x", **fields)


def command(text: str) -> ToolCall:
    return call(tool_kind="execute", command=text, raw_input={"command": text})


def edit(*paths: str) -> ToolCall:
    return call(tool_kind="edit", locations=tuple(Location(path=path) for path in paths))


def fetch(url: str) -> ToolCall:
    return call(tool_kind="fetch", raw_input={"url": url})


def answer(
    tool_call: ToolCall,
    *rules: Rule,
    policy: Policy = "ask",
    options: tuple[PermissionOption, ...] = OPTIONS,
    root: Path | None = None,
    known: bool = True,
) -> str | None:
    made: Decision | None = decide(
        policy, tool_call, options, CurrentRules(rules, known), SessionFolder(root)
    )
    return None if made is None else made.option_id


@pytest.mark.parametrize(
    ("text", "matching", "others"),
    [
        (
            "execute:git status *",
            [
                "git status",
                "git status -s",
                "git  status 'a b'",
                'git status "x"',
                "bash -lc 'git status'",
                "git status && git status -s",
            ],
            [
                "git",
                "git stash",
                "git -C / status",
                "GIT status",
                "/tmp/git status",
                "git status; rm -r .",
                "git status && rm -r .",
                "git status | sh",
                "git status > a",
                "git status $(rm a)",
                "git status `rm a`",
                "git status $HOME",
                "git status &",
                "git status\nrm a",
                "git status 'a",
                "git status \\\nx",
                "git status *.py",
                "git status ~",
                "git status /etc",
                "git status ../a",
                "git status {a,b}",
                "X=1 git status",
                "git status \u202e",
                "sh -c 'git status' x",
                "",
            ],
        ),
        ("execute:pytest", ["pytest"], ["pytest -x", "pytest; ls"]),
        (
            "execute:cat src/*",
            ["cat src/a.py"],
            ["cat src/../../etc/passwd", "cat a", "cat src/a src/b", "cat"],
        ),
        ("execute:ls * a", ["ls b a"], ["ls -R a", "ls a"]),
    ],
)
def test_a_rule_is_about_the_whole_command(
    text: str, matching: list[str], others: list[str]
) -> None:
    assert [c for c in matching if answer(command(c), rule(text)) != "once"] == []
    assert [c for c in others if answer(command(c), rule(text)) is not None] == []


@pytest.mark.parametrize(
    ("text", "matching", "others"),
    [
        ("edit", [["a.py"], ["src/b/c.py", "d.py"]], [["/etc/passwd"], ["../a"], ["a", "~/b"], []]),
        ("edit:src/**", [["src/a"], ["src/b/c"]], [["src2/a"], ["a"], ["src/a", "b"], ["SRC/a"]]),
        ("edit:src/*.py", [["src/a.py"]], [["src/b/a.py"], ["src/a.pyc"]]),
        ("edit:**/a.py", [["a.py"], ["b/c/a.py"]], [["ba.py"]]),
        ("edit:a[1].py", [["a[1].py"]], [["a1.py"]]),
        # What configures later runs, by its own name only.
        ("edit:**", [["a"]], [[".git/hooks/pre-commit"], ["x/conftest.py"], ["\uff0egit/config"]]),
        ("edit:conftest.py", [["conftest.py"]], [["x/conftest.py"]]),
    ],
)
def test_a_rule_is_about_all_paths(
    text: str, matching: list[list[str]], others: list[list[str]]
) -> None:
    assert [paths for paths in matching if answer(edit(*paths), rule(text)) != "once"] == []
    assert [paths for paths in others if answer(edit(*paths), rule(text)) is not None] == []


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://docs.python.org/3/library/", True),
        ("https://DOCS.python.org/", True),
        ("http://docs.python.org/", False),
        ("https://docs.python.org.evil.example/", False),
        ("https://docs.python.org@evil.example/", False),
        ("https://docs.python.org:8443/", False),
        ("https://evil.example/https://docs.python.org/", False),
        ("https://docs.python.org/../x", False),
        ("https://docs.python.org/%2e%2e/x", False),
        ("https://docs.python.org\\@evil.example/", False),
        ("file:///etc/passwd", False),
        ("https://[", False),
    ],
)
def test_a_rule_is_about_one_place_of_the_web(url: str, allowed: bool) -> None:
    made = answer(fetch(url), rule("fetch:https://docs.python.org/*"))
    assert made == ("once" if allowed else None)


def test_paths_count_as_they_lie_on_disk(tmp_path: Path) -> None:
    root, out = tmp_path / "ws", tmp_path / "out"
    (root / "src").mkdir(parents=True)
    out.mkdir()
    (root / "src" / "away").symlink_to(out)
    (root / "src" / "hooks").symlink_to(root / ".git")
    policies: list[Policy] = ["ask", "accept-edits"]
    for policy in policies:
        rules = [rule("edit:src/**")] if policy == "ask" else []
        assert answer(edit("src/a.py"), *rules, policy=policy, root=root) == "once"
        assert answer(edit(f"{root}/src/a.py"), *rules, policy=policy, root=root) == "once"
        for path in ("src/away/a.py", "src/hooks/a.py", "src/away/../a.py"):
            assert answer(edit(path), *rules, policy=policy, root=root) is None, path


def test_every_path_that_an_input_names_counts() -> None:
    outside = {"file_path": "a", "changes": {"/etc/passwd": {}}, "edits": [{"path": "b"}]}
    assert answer(call(tool_kind="edit", path="a", raw_input=outside), rule("edit")) is None
    diffs = (Diff(path="a"), Diff(path="../b"))
    assert answer(call(tool_kind="edit", path="a", diffs=diffs), rule("edit")) is None


def test_what_is_denied_is_denied() -> None:
    denied = rule("edit:secrets/**", "deny")
    for policy in ("ask", "accept-edits", "allow-all"):
        for path in ("secrets/a", "Secrets/a", "x/../secrets/a"):
            allowing = rule("edit", scope="turn")
            assert answer(edit("b", path), allowing, denied, policy=policy) == "no"
    assert answer(edit("a"), denied, policy="allow-all") == "once"


@pytest.mark.parametrize("text", ["$X; ls", "ls $(x)", "ls | sh"])
def test_where_a_denial_cant_be_looked_at_nothing_is_allowed(text: str) -> None:
    denied = rule("execute:rm *", "deny")
    assert answer(command(text), denied, policy="allow-all") is None
    assert answer(command(text), policy="allow-all") == "once"
    assert answer(command(text), rule("execute", "deny"), policy="allow-all") == "no"
    outside = call(tool_kind="edit", path="/elsewhere/secrets/a")
    assert answer(outside, rule("edit:secrets/**", "deny"), policy="allow-all") is None


def test_rules_that_cant_be_read_allow_nothing() -> None:
    assert answer(edit("a"), policy="accept-edits", known=False) is None
    assert answer(edit("a"), rule("edit", scope="turn"), known=False) is None
    assert answer(edit("a"), policy="deny", known=False) == "no"


def test_what_is_remembered_never_undoes_a_refusal() -> None:
    for policy in ("deny", "read-only"):
        assert answer(edit("a"), rule("edit"), policy=policy) == "no"
        assert answer(edit("a"), rule("edit", scope="turn"), policy=policy) == "once"


def test_a_contradiction_is_asked_about() -> None:
    reads = call(tool_kind="read", path="a", command="cat a; rm b")
    assert answer(reads, rule("read")) is None
    assert answer(reads, policy="read-only") == "no"
    wrapped = call(
        tool_kind="execute",
        command="git status",
        raw_input={"command": ["evil", "-c", "git status"]},
    )
    assert answer(wrapped, rule("execute:git status")) is None
    shell = wrapped.model_copy(
        update={"raw_input": {"command": ["/bin/bash", "-lc", "git status"]}}
    )
    assert answer(shell, rule("execute:git status")) == "once"
    hidden = call(
        tool_kind="execute", command="git status", raw_input={"command": "rm a", "cmd": "git"}
    )
    assert answer(hidden, rule("execute:git status")) is None
    assert answer(call(tool_kind="edit", tool_name="bash", path="a"), rule("edit")) is None


QUESTIONS: list[tuple[ToolCall, list[tuple[str, str]]]] = [
    (edit("a"), [("q0_opt_0", "allow_once"), ("q0_skip", "reject_once")]),
    (edit("a"), [("red", "allow_once"), ("blue", "allow_once"), ("no", "reject_once")]),
    (edit("a"), [("once", "allow_once"), ("blue", "colour")]),
    (call(tool_kind="other", tool_name="AskUserQuestion", path="a"), [("1", "allow_once")]),
    (call(tool_kind="think", tool_name="ask_user", path="a"), [("1", "allow_once")]),
    (call(tool_kind="other"), [("1", "allow_once"), ("2", "reject_once")]),
]


@pytest.mark.parametrize(("tool_call", "offered"), QUESTIONS, ids=str)
def test_a_question_is_never_answered(tool_call: ToolCall, offered: list[tuple[str, str]]) -> None:
    options = tuple(PermissionOption(option_id=i, name=i, option_kind=k) for i, k in offered)
    for policy in ("ask", "read-only", "accept-edits", "allow-all", "deny"):
        rules = (rule("edit", scope="turn"), rule("edit"))
        assert answer(tool_call, *rules, policy=policy, options=options) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a rule"),
        ("edits:a", "Type edit"),
        ("shell:ls", "begins with one of"),
        ("edit:", "nothing after the colon"),
        ("execute", "Say which command"),
        ("execute:*", "The program itself"),
        ("execute:ls | sh", "not a plain command"),
        ("execute:'ls", "not a plain command"),
        ("edit:/etc/**", "leads out"),
        ("edit:../a", "leads out"),
        ("edit:~/a", "leads out"),
        ("edit:a**", "whole part"),
        ("fetch:docs.python.org", "not an address"),
        ("fetch:https://*", "may only be the end"),
        ("fetch:https://a.example*", "may only be the end"),
        ("fetch:https://*.example/", "may only be the end"),
        ("fetch:https://u@a.example/*", "not an address"),
        ("edit:a\u202eb", "no invisible ones"),
        (f"edit:{'a' * 2000}", "at most"),
    ],
)
def test_what_is_no_rule_says_what_to_type(text: str, words: str) -> None:
    with pytest.raises(RuleTextError, match=words):
        rule(text)


@pytest.mark.parametrize(
    "text", ["read", "edit:src/**", "execute:git status *", "fetch:http://a/*"]
)
def test_a_rule_reads_as_it_was_written(text: str) -> None:
    assert rule_text(rule(text)) == text
    assert rule(text).words.startswith("May ")


@pytest.mark.parametrize(
    ("tool_call", "text"),
    [
        (command("git status"), "execute:git status"),
        (command("git commit -m 'a b'"), "execute:git commit -m 'a b'"),
        (command("git status; ls"), ""),
        (command("ls *"), ""),
        (edit("src/a.py"), "edit:src/a.py"),
        (edit("a", "b"), ""),
        (edit("/etc/passwd"), ""),
        (edit("a*"), ""),
        (fetch("https://a.example/b"), "fetch:https://a.example/b"),
        (call(tool_kind="other", path="a"), ""),
    ],
    ids=str,
)
def test_remembering_an_answer_covers_just_that(tool_call: ToolCall, text: str) -> None:
    assert rule_for(contents_of(tool_call, "/ws")) == text
    if text:
        assert answer(tool_call, rule(text)) == "once"


@pytest.mark.parametrize(
    ("tool_call", "texts"),
    [
        (edit("src/a.py"), ["edit:src/**", "edit"]),
        (edit("src/a/b.py", "src/c.py"), ["edit:src/**", "edit"]),
        (edit("a.py"), ["edit"]),
        (edit("src/a.py", "b.py"), ["edit"]),
        (edit("s*/a.py"), ["edit"]),
        (edit("src/a.py", "/etc/passwd"), []),
        (edit("../a.py"), []),
        (edit(), []),
        (command("git status"), []),
        (fetch("https://a.example/b"), []),
        (call(tool_kind="other", path="a"), []),
    ],
    ids=str,
)
def test_wider_rules_allow_their_request(tool_call: ToolCall, texts: list[str]) -> None:
    assert [each.text for each in wider_rules_for(contents_of(tool_call, "/ws"))] == texts
    for text in texts:
        assert answer(tool_call, rule(text)) == "once"


def test_rules_of_a_folder_are_kept_outside_it(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    store, other = (RulesStore(tmp_path / "data" / "rules.json") for _ in range(2))
    store.add(folder, rule("edit:a"))
    store.add(folder, rule("edit:a"))
    other.add(folder, rule("edit:b"))
    assert [r.pattern for r in store.of(folder)] == ["a", "b"]
    assert store.of(tmp_path) == ()
    assert stat.S_IMODE((tmp_path / "data" / "rules.json").stat().st_mode) == 0o600
    assert list(folder.iterdir()) == []
    assert other.remove("allow edit:a")
    assert not other.remove("allow edit:a")
    assert [r.pattern for r in store.of(folder)] == ["b"]


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({"folders": {"/": [{"id": 1}]}})])
def test_a_broken_file_of_rules_is_told_and_kept(tmp_path: Path, content: str) -> None:
    file = tmp_path / "rules.json"
    file.write_text(content)
    with pytest.raises(SharedFileBroken):
        RulesStore(file).of(tmp_path)
    with pytest.raises(SharedFileBroken):
        RulesStore(file).add(tmp_path, rule("edit:a"))
    assert file.read_text() == content


def test_rules_of_a_turn() -> None:
    made = turn_rules(("read", "edit:a"), ("execute:rm *",))
    assert [(r.effect, r.scope, rule_text(r)) for r in made] == [
        ("deny", "turn", "execute:rm *"),
        ("allow", "turn", "read"),
        ("allow", "turn", "edit:a"),
    ]
    assert len({r.id for r in made}) == 3
    assert all(r.created_at > 0 for r in made)
    assert len(turn_rules(("read",) * 60, ("edit",) * 40)) == 100
    for allow, deny in ((("read",) * 60, ("edit",) * 41), (("words",), ()), ((), ("edit:../a",))):
        with pytest.raises(BadRequest):
            turn_rules(allow, deny)


def test_a_rule_that_denies_allows_nothing() -> None:
    ruling = rule_on([rule("execute:ls", "deny")], facts_of(command("ls"), SessionFolder(None)))
    assert ruling.denied is not None
    assert ruling.allowed is None
