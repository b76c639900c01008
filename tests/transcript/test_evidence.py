"""What is known of a tool call beyond doubt, and what its request says beside its card."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import Diff, Permission, ToolCall
from acp_jupyter.transcript.permission_evidence import Evidence, contents_of

CWD = "/ws"
HIDDEN = {"path": "a.py", "whatever": "/etc/passwd"}
OF_THE_HOST = Permission(request_id="t1", title="Demo wants to edit a file")
OF_THE_AGENT = Permission(request_id="p1", title="Demo wants to edit a file")


def call(kind: str, raw_input: Any = None, **fields: Any) -> ToolCall:
    fields = {"title": "Do it", **fields}
    return ToolCall(id="i1", tool_call_id="c1", tool_kind=kind, raw_input=raw_input, **fields)  # type: ignore[arg-type]


def details(asked: ToolCall) -> list[tuple[str, str]]:
    found = contents_of(asked, CWD)
    assert found.folder == ""
    return [(detail.name, detail.value) for detail in found.details]


def test_what_the_host_asks_is_told_by_itself() -> None:
    """What an agent sends beside is not what the host will do."""
    agents = contents_of(call("edit", HIDDEN, path="a.py", permission=OF_THE_AGENT), CWD)
    told = call("edit", HIDDEN, path="a.py", diffs=(Diff(path="a.py"),), permission=OF_THE_HOST)
    hosts = contents_of(told, CWD)
    assert agents.evidence == Evidence("edit", paths=("a.py",), clear=False)
    assert hosts.evidence == Evidence("edit", paths=("a.py",))
    assert (agents.understood, hosts.understood) == (False, True)
    assert [(each.name, each.value) for each in agents.details] == [("whatever", "/etc/passwd")]
    assert hosts.details == ()


@pytest.mark.parametrize("kind", get_args(AcpKind))
@pytest.mark.parametrize("raw_input", ["make it", ["a.py", "/etc/passwd"], 7, True])
def test_an_input_that_is_no_object_is_shown_and_not_understood(kind: str, raw_input: Any) -> None:
    found = contents_of(call(kind, raw_input, path="a.py"), CWD)
    assert (found.evidence, found.understood) == (None, False)
    words = "a.py, /etc/passwd" if isinstance(raw_input, list) else str(raw_input)
    assert details(call(kind, raw_input)) == [("input", words.replace("True", "true"))]


@pytest.mark.parametrize("kind", get_args(AcpKind))
def test_a_path_that_a_card_does_not_show_is_told_with_the_request(kind: str) -> None:
    assert details(call(kind, HIDDEN)) == [*HIDDEN.items()]


@pytest.mark.parametrize(
    ("raw_input", "shown"),
    [
        ({"content": "one\ntwo\n"}, []),
        ({"content": "one\ntwo\nthree\n"}, ["content"]),
        ({"old_string": "old", "new_string": "two"}, []),
        ({"old_string": "old", "new_string": "two", "replace_all": True}, ["replace_all"]),
        ({"old_string": "old", "new_string": "two", "replace_all": False}, []),
        ({"edits": [{"old_text": "old", "new_text": "one"}]}, []),
        ({"edits": [{"old_text": "old", "new_text": "other"}]}, ["edits"]),
        ({"diff": "--- a.py\n+++ a.py\n@@ -1 +1,2 @@\n-old\n+one\n+two\n"}, []),
        ({"diff": "--- a.py\n+++ a.py\n@@ -1 +1,2 @@\n-old\n+one\n+evil\n"}, ["diff"]),
        ({"changes": {"/ws/a.py": {"type": "update", "unified_diff": "-old\n+two"}}}, []),
        ({"changes": {"/ws/a.py": {"type": "delete", "unified_diff": "-old"}}}, ["changes"]),
        ({"changes": {"/ws/b.py": {"unified_diff": "-old\n+two"}}}, ["changes"]),
        ({"call_id": "call_1", "turn_id": "01a1-fa07", "started_at_ms": 5}, []),
        ({"call_id": "rm -r ~"}, ["call_id"]),
        ({"run_after": "rm -r ~"}, ["run_after"]),
    ],
    ids=str,
)
def test_a_field_that_is_no_part_of_the_diff_is_shown(raw_input: Any, shown: list[str]) -> None:
    diff = Diff(path="a.py", old_text="old\n", new_text="one\ntwo\n")
    asked = call("edit", {"path": "/ws/a.py", **raw_input}, path="a.py", diffs=(diff,))
    assert [name for name, _ in details(asked)] == shown


@pytest.mark.parametrize(("fields", "too_large"), [(40, False), (1_000, False), (1_001, True)])
def test_fields_are_shown_or_the_request_is_too_large(fields: int, too_large: bool) -> None:
    raw_input = {f"f{n}": n for n in range(fields)}
    found = contents_of(call("execute", raw_input, command="make"), CWD)
    assert len(found.details) == min(fields, 1_000)
    assert found.too_large == too_large


def test_a_long_field_is_shown_whole() -> None:
    text = "x" * 900_000
    found = contents_of(call("other", {"text": text}), CWD)
    assert (found.details[0].value, found.too_large) == (text, False)
    assert contents_of(call("other", {"text": text, "more": text}), CWD).too_large


@pytest.mark.parametrize(
    "asked",
    [
        call("execute", {"command": "curl -H [redacted]"}, command="curl -H [redacted]"),
        call("execute", {"command": "make", "cwd": "/ws/[redacted]"}, command="make"),
        call("edit", {"path": "/ws/[redacted].py"}, path="[redacted].py"),
        call("fetch", {"url": "https://a.example/[redacted]"}),
    ],
    ids=lambda asked: asked.tool_kind,
)
def test_what_a_secret_hides_is_not_understood(asked: ToolCall) -> None:
    """What an agent may plant as a secret is hidden from the card, and from rules and policies."""
    assert not contents_of(asked, CWD).understood


@pytest.mark.parametrize(("tool", "clear"), [("Grep", True), ("grep", True), ("glob", False)])
def test_what_is_looked_for_in_texts_leads_nowhere(tool: str, clear: bool) -> None:
    """Files are looked for by their names: there it does."""
    raw_input = {"path": "src", "pattern": "/etc/*"}
    found = contents_of(call("search", raw_input, tool_name=tool), CWD)
    assert found.evidence == Evidence("search", paths=("src",), clear=clear)
    assert [(each.name, each.value) for each in found.details] == [*raw_input.items()]


@pytest.mark.parametrize(("number", "known"), [(0, False), (1, True), (200, True), (201, False)])
def test_nothing_is_known_of_a_call_with_too_many_paths(number: int, known: bool) -> None:
    """Nor of one that names none."""
    locations = tuple(Location(path=f"{n}.py") for n in range(number))
    evidence = contents_of(call("edit", locations=locations), CWD).evidence
    assert (evidence is not None) == known
    assert evidence is None or len(evidence.paths) == number
