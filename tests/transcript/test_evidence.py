"""What is known of a tool call beyond doubt, and what its request says beside its card."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from acp_jupyter.protocol.packets import Location
from acp_jupyter.protocol.vocabulary import AcpKind
from acp_jupyter.transcript.model.tool_items import Permission, ToolCall
from acp_jupyter.transcript.permission_evidence import Evidence, evidence_of, remaining_details

CWD = "/ws"
HIDDEN = {"path": "a.py", "whatever": "/etc/passwd"}
OF_THE_HOST = Permission(request_id="t1", title="Demo wants to edit a file")
OF_THE_AGENT = Permission(request_id="p1", title="Demo wants to edit a file")


def call(kind: str, raw_input: Any = None, **fields: Any) -> ToolCall:
    fields = {"title": "Do it", **fields}
    return ToolCall(id="i1", tool_call_id="c1", tool_kind=kind, raw_input=raw_input, **fields)  # type: ignore[arg-type]


def details(asked: ToolCall) -> list[tuple[str, str]]:
    folder, shown = remaining_details(asked, CWD)
    assert folder == ""
    return [(detail.name, detail.value) for detail in shown]


def test_what_the_host_asks_is_told_by_itself() -> None:
    """What an agent sends beside is not what the host will do."""
    agents = call("edit", HIDDEN, path="a.py", permission=OF_THE_AGENT)
    hosts = call("edit", HIDDEN, path="a.py", permission=OF_THE_HOST)
    assert evidence_of(agents, CWD) == Evidence("edit", paths=("a.py",), understood=False)
    assert evidence_of(hosts, CWD) == Evidence("edit", paths=("a.py",))
    assert details(agents) == [("whatever", "/etc/passwd")]
    assert details(hosts) == []


@pytest.mark.parametrize("kind", get_args(AcpKind))
def test_a_path_that_a_card_does_not_show_is_told_with_the_request(kind: str) -> None:
    """Of the other kinds a card shows the whole input."""
    names_paths = kind in {"read", "search", "edit", "delete", "move"}
    assert details(call(kind, HIDDEN)) == ([*HIDDEN.items()] if names_paths else [])


@pytest.mark.parametrize(("fields", "left"), [(30, ""), (31, "1"), (45, "15")])
def test_fields_that_are_not_shown_are_counted(fields: int, left: str) -> None:
    shown = details(call("execute", {f"f{n}": n for n in range(fields)}, command="make"))
    counted = [("…", f"and {left} more fields")] if left else []
    assert shown == [*((f"f{n}", str(n)) for n in range(30)), *counted]


@pytest.mark.parametrize(("tool", "understood"), [("Grep", True), ("grep", True), ("glob", False)])
def test_what_is_looked_for_in_texts_leads_nowhere(tool: str, understood: bool) -> None:
    """Files are looked for by their names: there it does."""
    raw_input = {"path": "src", "pattern": "/etc/*"}
    search = call("search", raw_input, tool_name=tool)
    assert evidence_of(search, CWD) == Evidence("search", paths=("src",), understood=understood)
    assert details(search) == [*raw_input.items()][: 1 if understood else 2]


@pytest.mark.parametrize(("number", "known"), [(0, False), (1, True), (200, True), (201, False)])
def test_nothing_is_known_of_a_call_with_too_many_paths(number: int, known: bool) -> None:
    """Nor of one that names none."""
    locations = tuple(Location(path=f"{n}.py") for n in range(number))
    evidence = evidence_of(call("edit", locations=locations), CWD)
    assert (evidence is not None) == known
    assert evidence is None or len(evidence.paths) == number
