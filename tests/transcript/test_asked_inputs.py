"""What is known of a tool call by its input: evidence, details, questions, rules.

``tests/golden/asked_inputs`` has a line for each input, with what differs from the same call
without it. ``ACP_WRITE_GOLDEN=1`` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, get_args

import pytest

from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import Diff, Permission, PermissionOption, ToolCall
from acp_jupyter.transcript.permission_evidence import (
    contents_of,
    is_question,
    sole_allow_once,
)
from acp_jupyter.transcript.raw_input import (
    local_path,
    read_command_fields,
    read_path_fields,
)
from acp_jupyter.transcript.rule_text import (
    RuleTextError,
    is_plain_command_list,
    pattern_words,
    plain_words,
    read_rule,
    rule_for,
    rule_text,
    wider_rules_for,
)
from tests.acceptance import golden
from tests.support.transcript.outcomes import check, cut, said

FOLDER = golden.GOLDEN / "asked_inputs"
CWD = "/ws"
MAX = 250

PATCH = "*** Begin Patch\n*** Add File: new.py\n+x\n*** Update File: /ws/a.py\n*** Move to: /etc/x"
GIT = "diff --git a/src/a.py b/src/b.py\n--- a/src/a.py\n+++ b/src/b.py\n@@\n-x\n+y\n"
PLAIN_DIFF = "--- a.py\t2020\n+++ b/a.py\n-x\n+y\n--- /dev/null\n+++ /ws/new.py\n"
GIT_DIFF = 'diff --git a/a.py b/a.py\n--- "a/\\303.py"\n+++ b/a.py\nIndex: c.py\nrename to d.py'
DEEP: Any = ["x/deep.py"]
for _ in range(8):
    DEEP.append({"inner": DEEP[-1]})
TEXTS = [
    "", "a", "a.py", ".env", ".", "..", "/", "~", "a/b.py", "a\\b.py", "../x", "/ws", "/ws/",
    "/ws/.",
    "/ws/a.py", "/ws/../etc", "/ws-evil/a", "/etc/x", "~/x", "\\x", "C:\\x", "C:/x", "c:x", "ab:x",
    "https://a.b/c", "file:///ws/a%20b.py", "file://localhost/ws/a", "file://host/ws/a",
    "file:///ws/a?q", "file:///ws/a#f", "FILE:///etc/x", "file://[/a", "file:", "file:///ws",
    " a.py ", "two words", "two words.py", "a/b c\nd", "*.py", "src/**", "x" * 4097,
    "/" + "x" * 4097,
    "a.py\n", "a*b.py", "x/" + "y" * 4094, "x/" + "y" * 4095, PATCH, GIT, PLAIN_DIFF, GIT_DIFF,
    "*** none", "--- a.py\n+++ b.py", "+++ b.py", "--- a.py\nx\n+++ b.py", "x" * 1_000_001,
    "*** Add File: q.py\n" + "x" * 1_000_000, "Index: i.py", "copy from c.py",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, 1.5, [], {}, ["a.py"], ["a.py", 7, None, "../b"], {"a.py": 1},
    {"path": "q.py"}, [{"path": "q.py"}, {"b.py": {"path": "../c"}}], {"x": {"y": ["z/q.py"]}},
    [[["l/q.py"]]], *DEEP, ["p.py"] * 2000, ["p.py"] * 1999, {f"f{n}/x": 0 for n in range(201)},
    [f"f{n}/x" for n in range(200)], "use_default", "agent", "unified_exec_startup", *TEXTS,
]  # fmt: skip
FIELDS = {
    "execute": "command cmd commands cwd workdir description timeout call_id parsed_cmd"
    " run_in_background sandbox_permissions other",
    "edit": "path files edits content diff patch glob pattern title other",
    "fetch": "url prompt other",
}


LONG = {"path", "paths", "patch", "other"}
"""Those that very long values are tried in."""


def call(kind: str, raw_input: Any, **fields: Any) -> ToolCall:
    fields = {"title": "Do it", **fields}
    return ToolCall(id="i1", tool_call_id="c1", tool_kind=kind, raw_input=raw_input, **fields)  # type: ignore[arg-type]


def known(tool_call: ToolCall) -> dict[str, Any]:
    """Return all that is known of a call, without what is empty."""
    contents = contents_of(tool_call, CWD)
    evidence = contents.evidence
    found: dict[str, Any] = {
        "evidence": "" if evidence is None else asdict(evidence),
        "understood": "" if contents.understood else False,
        "folder": contents.folder,
        "details": [(detail.name, detail.value) for detail in contents.details],
        "rule": rule_for(contents),
        "wider": [rule.text for rule in wider_rules_for(contents)],
        "words": [rule.words for rule in wider_rules_for(contents)],
    }
    if is_question(tool_call, OPTIONS):
        found["question"] = True
    return {name: value for name, value in found.items() if value not in ("", [])}


def option(option_id: str, kind: str) -> PermissionOption:
    return PermissionOption(option_id=option_id, name=option_id, option_kind=kind)


OPTIONS = (option("once", "allow_once"), option("no", "reject_once"))
KINDS = get_args(AcpKind)


def line(name: Any, found: Any) -> str:
    return f"{said(name, 40)}: {said(found, MAX)}"


def grouped(head: str, pairs: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Yield each outcome once, with all that it is the outcome of."""
    found: dict[str, list[str]] = {}
    for name, outcome in pairs:
        found.setdefault(said(outcome, MAX), []).append(name)
    for told, names in found.items():
        yield f"{head}: {' | '.join(dict.fromkeys(names))}: {told}"


# -- fields of an input -----------------------------------------------------------


def test_paths_and_commands() -> None:
    def lines() -> Iterator[str]:
        for value in VALUES:
            if isinstance(value, str):
                yield f"path {line(value, local_path(value, CWD))}"
            for field in ("pattern", "path", "odd", "content", "patch", "files"):
                for is_grep in (False, True):
                    for found in read_path_fields({field: value}, CWD, is_grep=is_grep).values():
                        seen = [sorted(found.paths), found.is_clear, found.is_known]
                        if seen != [[], True, True]:
                            yield f"{field} {is_grep} {line(value, seen)}"
        for first in ("/ws/a", "/ws", "", "..", "b"):
            for second in ("/ws/b", ".", None, True):
                beside = read_command_fields({"cwd": first, "workdir": second}, CWD)
                yield line([first, second], asdict(beside))

    check(FOLDER, "paths", lines())


COMMANDS: list[Any] = [
    ["make test"], [""],
    "make test", "make", ["make", "test"], ["/bin/bash", "-lc", "make test"], [], [7], [["make"]],
    7, "", None, "make *", "A=1 make", "make 'x y'", "make \"", "make; rm", "make && x", "''", " ",
    "make\ntest", "make " + "x" * 3994, "make " + "x" * 3995, "make " + "x" * 3996,
    "make\u200btest",
]  # fmt: skip


def test_commands() -> None:
    def lines() -> Iterator[str]:
        for command in COMMANDS:
            for name in ("command", "cmd", "commands", "Commands"):
                for other in ("", "make test"):
                    raw = {name: command, **({"command": other} if other else {})}
                    shown = other or (command if isinstance(command, str) else "make test")
                    found = known(call("execute", raw, command=shown))
                    yield f"{name} {other}{line(command, found)}"
            if isinstance(command, str):
                words = [plain_words(command), is_plain_command_list(command)]
                yield f"plain {line(command, words)}"
        for kind in KINDS:
            for name in ("", "bash", "grep", "read", "Write"):
                for command in ("", "make test"):
                    asked = call(kind, {"path": "a.py"}, command=command, tool_name=name)
                    yield f"{kind} {name} {command!r} {json.dumps(known(asked))}"

    check(FOLDER, "commands", lines())


def test_what_a_call_shows() -> None:
    def lines() -> Iterator[str]:
        shown: list[dict[str, Any]] = [
            {}, {"path": "a.py"}, {"path": "../a.py"}, {"path": "/etc/x"}, {"path": "https://a/b"},
            {"path": "file://h/a"}, {"path": "s/*/a.py"}, {"path": "*.py"}, {"path": "s/a.py"},
            {"locations": (Location(path="a.py"), Location(path="s/b.py"))},
            {"diffs": (Diff(path="/ws/a.py"),), "path": "a.py"}, {"diffs": (Diff(path=""),)},
            {"path": "s/b/a.py", "locations": (Location(path="s/c/d.py"),)},
            {"path": "s/a:b.py"}, {"path": "s:b.py"}, {"path": "s/b**/a.py"}, {"path": "s/./a.py"},
            {"locations": tuple(Location(path=f"{n}.py") for n in range(200))},
            {"locations": tuple(Location(path=f"{n}.py") for n in range(201))},
            {"path": "a\u200b.py"}, {"path": "s/" + "x" * 998}, {"path": "s/" + "x" * 999},
        ]  # fmt: skip
        inputs: list[Any] = [
            None, {}, {"path": "a.py"}, {"path": "/ws/a.py", "to": "b.py"}, {"edits": ["../x"]},
            {"pattern": "../x"}, {"path": "s/b.py", "note": "s/c.py"}, "text", [1],
            {"url": "https://a.b/c", "prompt": "p"}, {"url": "https://a.b/c", "body": "p"},
            {"url": "https://a.b/c", "body": ""}, {"url": "https://a.b/*"}, {"url": 7},
            {"url": "ftp://a.b"}, {"url": "https://u@a.b/"}, {"url": "https://[a/"},
        ]  # fmt: skip
        for kind in KINDS:
            for number, fields in enumerate(shown):
                yield f"{kind} {number} {said(list(fields.items()))}"
                for name in ("", "grep") if kind == "search" else ("",):
                    yield from grouped(
                        f"{kind} {number} {name}",
                        (
                            (said(raw, 40), known(call(kind, raw, tool_name=name, **fields)))
                            for raw in inputs
                        ),
                    )

    check(FOLDER, "shown", lines())


def test_requests_of_the_host_and_many_fields() -> None:
    def lines() -> Iterator[str]:
        for request_id in ("p1", "t1"):
            permission = Permission(request_id=request_id, title="Demo wants it")
            for kind in KINDS:
                for command in ("", "make test"):
                    for raw in ({}, {"x": "../y", "env": 1}, {"command": "make test", "env": 1}):
                        for path in ("", "a.py"):
                            fields = {"command": command, "path": path}
                            asked = call(kind, raw, permission=permission, **fields)
                            told = said(known(asked), MAX)
                            yield f"{request_id} {kind} {said(fields)} {said(raw)}: {told}"
        for count in (1, 40, 999, 1000, 1001):
            raw = {f"f{n}": n for n in range(count)}
            found = contents_of(call("execute", raw, command="x"), CWD)
            last = found.details[-1]
            yield f"{count}: {len(found.details)} {last.name} {last.value} {found.too_large}"
        for length in (2_001, 999_999, 1_000_000):
            found = contents_of(call("execute", {"f": "x" * length}, command="x"), CWD)
            yield f"{length}: {[len(each.value) for each in found.details]} {found.too_large}"
        for value in ([], ["a", "b"], ["a b", "c"], ["a", 1], {"a": "é"}, "é", 1.5, False):
            yield line(value, known(call("execute", {"f": value}, command="x")))

    check(FOLDER, "details", lines())


def test_questions() -> None:
    def lines() -> Iterator[str]:
        kinds = ("allow_once", "allow_always", "reject_once", "other")
        offered = [(), *((option("a", one),) for one in kinds)]
        offered += [(option("a", one), option("b", two)) for one in kinds for two in kinds]
        offered += [
            (option(name, "allow_once"),) for name in ("q1_a", "Q22-b", "q_1", "xq1_", "q1")
        ]
        raws: list[Any] = [None, {}, {"x": 1}]
        shown: list[dict[str, Any]] = [
            {"title": "Do it"}, {"title": "Ask user"}, {"tool_name": "AskUserQuestion"},
            {"tool_name": "ask"}, {"command": "x"}, {"path": "a"}, {"diffs": (Diff(path="a"),)},
            {"tool_name": "mcp__notebook__list_cells"},
            {"locations": (Location(path="a"),)},
        ]  # fmt: skip
        for options in offered:
            names = ", ".join(f"{each.option_id} {each.option_kind}" for each in options)
            yield f"{names}: {sole_allow_once(options)}"
            yield from grouped(
                names,
                (
                    (
                        f"{kind} {said(raw)} {said(list(fields.values()), 30)}",
                        is_question(call(kind, raw, **fields), options),
                    )
                    for kind in ("other", "edit")
                    for raw in raws
                    for fields in shown
                ),
            )

    check(FOLDER, "questions", lines())


@pytest.mark.parametrize("kind", FIELDS)
def test_one_field(kind: str) -> None:
    """Beside what such a call always has."""
    own: dict[str, Any] = {"execute": {"command": "make test"}, "fetch": {"url": "https://a.b/c"}}
    base = own.get(kind, {})
    command = "make test" if kind == "execute" else ""
    lines: list[str] = []
    for field in FIELDS[kind].split():
        values = [v for v in VALUES if field in LONG or len(said(v, 9_999)) < 9_999]
        lines += grouped(
            field,
            (
                (said(value, 30), known(call(kind, {**base, field: value}, command=command)))
                for value in values
            ),
        )
    check(FOLDER, f"{kind}_fields", lines)


# -- rules ---------------------------------------------------------------------------

RULES = [
    "", "read", "read:", " read ", "reads", "execute", "execute:", "execute:*", "execute:git *",
    "execute: git status ", "execute:git*", "execute:*git", "execute:a|b", "execute:'",
    "execute:'' x",
    "execute:A=1 x", "execute:git '*'", "fetch", "fetch:*", "fetch:https://a.b",
    "fetch:https://a.b/*",
    "fetch:https://a.b*", "fetch:https://*.b/", "fetch:http://a/b*c", "fetch:ftp://a/",
    "fetch:https://",
    "fetch:https://u@a/", "fetch:https://[a/", "fetch:https://a/**", "edit:src/**", "edit:/a",
    "edit:~/a",
    "edit:\\a", "edit:..", "edit:a/../b", "edit:a\\b", "edit:a\\..\\b", "edit:C:\\x", "edit:a:b",
    "edit:ab:c", "edit:abc:d", "edit:a**", "edit:a/**/b", "edit:**a/b", "edit:./a//b", "edit:**",
    "edit:.",
    "delete:a.py", "move:a.py", "search:src", "edit:a\u200b", "edit:" + "x" * 1000,
    "edit:" + "x" * 1001,
    "wibble:x", "Edit:a", "edit:a:",
]  # fmt: skip


def test_rules() -> None:
    def lines() -> Iterator[str]:
        for text in RULES:
            for effect in ("allow", "deny"):
                try:
                    rule = read_rule(text, effect=effect, scope="turn", rule_id="r", at=2.0)
                    words: Any = [rule.tool_kind, rule.pattern, rule.words, rule_text(rule)]
                    if rule.tool_kind == "execute":
                        words.append(pattern_words(rule.pattern))
                except RuleTextError as error:
                    words = str(error)
                yield f"{effect} {cut(text, 60)}: {said(words, 300)}"

    check(FOLDER, "rules", lines())
