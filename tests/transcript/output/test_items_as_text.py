"""Each kind of item, in each of its states, as Markdown, plain text, HTML and in a notebook.

``tests/golden/items_as_text`` has it all. ``ACP_WRITE_GOLDEN=1`` writes it anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from acp_jupyter.protocol.formatting import shorten_middle
from acp_jupyter.protocol.host_events.notes import CellError, Origin
from acp_jupyter.protocol.host_events.session import ChangedFile, TurnChanges
from acp_jupyter.protocol.tools.inputs import TodoItem
from acp_jupyter.protocol.tools.outputs import SearchHit
from acp_jupyter.transcript.model.items import (
    AgentMessage,
    Artifact,
    Elicitation,
    ElicitationAnswer,
    ErrorItem,
    FileWriteItem,
    Item,
    Notice,
    Plan,
    PlanEntry,
    Thought,
    TrustRequest,
    TurnEnd,
    UserMessage,
)
from acp_jupyter.transcript.model.session_state import (
    AgentInfo,
    ConfigChoice,
    ConfigOption,
    Mode,
    SessionState,
    TurnState,
)
from acp_jupyter.transcript.model.tool_items import (
    ContentBlockItem,
    Detail,
    Diff,
    Permission,
    PermissionState,
    TerminalView,
    ToolCall,
)
from acp_jupyter.transcript.output.bundle import build_bundle, changed_files
from acp_jupyter.transcript.output.diff_text import unified_diff
from acp_jupyter.transcript.output.html import html_page
from acp_jupyter.transcript.output.markdown import (
    session_markdown,
    turn_markdown,
    turn_plain_text,
)
from acp_jupyter.transcript.output.record import TURN_MIME
from acp_jupyter.transcript.output.terminal_screen import plain_lines, terminal_tail
from acp_jupyter.transcript.redactor import Redactor, Scrubber
from tests.acceptance import golden
from tests.support.transcript.outcomes import check, cut, said

FOLDER = golden.GOLDEN / "items_as_text"
MAX = 600
AT = 1_700_000_000.0
LONG = "abc defg\n" * 400
SESSION = SessionState(
    session_id="s1", title="A *title*", agent="demo", cwd="/ws", folder="~/ws",
    agent_info=AgentInfo(id="demo", name="Demo", version="1"),
)  # fmt: skip
TURN = TurnState(turn_id="t1", session_id="s1", prompt="Do *it*", status="done")


def call(**fields: Any) -> ToolCall:
    fields = {"title": "Run", "status": "completed", **fields}
    return ToolCall(id="i1", turn_id="t1", tool_call_id="c1", **fields)


def permission(state: PermissionState = "allowed", **fields: Any) -> Permission:
    return Permission(request_id="p1", title="Demo wants it", state=state, **fields)


def block(**fields: Any) -> ContentBlockItem:
    return ContentBlockItem(id="i1.0", turn_id="t1", **fields)


OLD = "".join(f"line {n}\n" for n in range(20))
DIFFS = {
    "one": Diff(path="a.py", old_text="a\nb\n", new_text="a\nc\n", added=1, removed=1),
    "new": Diff(path="n  w.py", new_text="n\n", is_new_file=True, added=1, removed=0),
    "uncounted": Diff(path="u.py", old_text="a", new_text="b", added=None, removed=1),
    "uncounted too": Diff(path="u.py", old_text="a", new_text="b", added=1),
    "same": Diff(path="s.py", old_text="a\n", new_text="a\n", added=0, removed=0),
    "moved": Diff(path="m.py", old_text=OLD, new_text=OLD.replace("line 9", "9"), old_line=5,
                  new_line=7),
    "no place": Diff(path="m.py", old_text="x\n", new_text="y\n", old_line=None, new_line=None),
    "two places": Diff(path="m.py", old_text=OLD,
                       new_text=OLD.replace("line 2\n", "").replace("line 19", "19\n20")),
    "shorter": Diff(path="m.py", old_text=OLD, new_text="line 0\nline 19\n"),
    "gone": Diff(path="m.py", old_text="x", new_text=""),
    "open": Diff(path="o.py", old_text="", new_text="x\n" * 57),
    "closed": Diff(path="o.py", old_text="", new_text="x\n" * 58),
    "shown": Diff(path="o.py", old_text=None, new_text="x\n" * 397),
    "cut": Diff(path="o.py", old_text=None, new_text="x\n" * 398),
    "compared": Diff(path="o.py", old_text="y\n" * 2000 + "z", new_text="x\n" * 2000 + "z"),
    "not compared": Diff(path="o.py", old_text="a\n" + "y\n" * 2001, new_text="a\nx\n"),
    "wide": Diff(path="w.py", old_text="", new_text="w" * 501),
    "saved": Diff(path="h.py", old_text="a" * 32768, new_text="b" * 32768),
    "too large to save": Diff(path="h.py", old_text="a" * 32768, new_text="b" * 32769),
    "too large and new": Diff(path="h.py", new_text="b" * 65537),
}  # fmt: skip

ITEMS: dict[str, list[Item]] = {
    "user": [UserMessage(id="i1", turn_id="t1", text="Do *it*", at=AT)],
    "message": [AgentMessage(id="i1", turn_id="t1", text="**Hi** <b>\x1b[1m")],
    "messages": [
        AgentMessage(id=f"i{n}", turn_id="t1", text=f"Part {n}\n\nmore\n") for n in range(12)
    ],
    "message with links": [
        AgentMessage(
            id="i1", turn_id="t1", text="![*a* b](https://x/y.png) [l](https://a) [e]() [j](js:1)"
        )
    ],
    "long message": [AgentMessage(id="i1", turn_id="t1", text="x" * (256 * 1024 + 1))],
    "message that fits": [AgentMessage(id="i1", turn_id="t1", text="x" * (256 * 1024))],
    "more than fits": [
        AgentMessage(id=f"i{n}", turn_id="t1", text="x" * (200 * 1024)) for n in range(4)
    ],
    "text at the limit of a notebook": [
        AgentMessage(id="i1", turn_id="t1", text="y" * (192 * 1024))
    ],
    "text beyond it": [AgentMessage(id="i1", turn_id="t1", text="y" * (192 * 1024 + 1))],
    "many items": [AgentMessage(id=f"i{n}", turn_id="t1", text=f"{n}") for n in range(1501)],
    "thought": [Thought(id="i1", turn_id="t1", text="Hm", started_at=AT, ended_at=AT + 2)],
    "named thought": [Thought(id="i1", turn_id="t1", title="Look", text="Hm", open=False)],
    "link": [block(type="resource_link", uri="file:///a", name="")],
    "named link": [block(type="resource_link", uri="https://a.b", name="A", size=10)],
    "image": [block(type="image", data="aGk=", mime_type="image/png")],
    "odd image": [block(type="image", data="aGk", mime_type="image/png")],
    "no image": [block(type="image", data="", mime_type="image/png")],
    "svg": [block(type="image", data="aGk=", mime_type="image/svg+xml", uri="x.svg")],
    "large image": [block(type="image", data="aaaa" * 49153, mime_type="image/png")],
    "image that fits": [block(type="image", data="aaaa" * 49152, mime_type="image/png")],
    "sound": [block(type="audio", data="aGk=", mime_type="audio/wav")],
    "sound as image": [block(type="image", data="aGk=", mime_type="audio/wav")],
    "resource": [block(type="resource", text=LONG, uri="u")],
    "other": [block(type="other")],
    "plan": [
        Plan(
            id="i1",
            turn_id="t1",
            entries=(
                PlanEntry(content="One", status="completed"),
                PlanEntry(content="*Two*", status="in_progress", priority="high"),
                PlanEntry(content="Three"),
            ),
        )
    ],
    "plan of text": [Plan(id="i1", turn_id="t1", text="# Plan\x1b[1m")],
    "artifact": [
        Artifact(id="i1", turn_id="t1", artifact_id="A", type="image", type_name="Image", name="P")
    ],
    "artifact with a size": [
        Artifact(id="i1", turn_id="t1", artifact_id="A", type="image", type_name="Image", name="P",
                 path="p.png", size="2 kB", size_bytes=2000)
    ],
    "file write": [FileWriteItem(id="i1", turn_id="t1", path="a.py", title="Created")],
    "notice": [Notice(id="i1", turn_id="t1", text="Text", title="Title", detail="More " + LONG)],
    "notice of no words": [Notice(id="i1", turn_id="t1", severity="error", title="Only")],
    "error": [ErrorItem(id="i1", turn_id="t1", message="Bad <b>", detail="why\nso", reason="r")],
    "error of no detail": [ErrorItem(id="i1", turn_id="t1", message="Bad")],
    "errors": [ErrorItem(id=f"i{n}", turn_id="t1", message=f"Bad {n}") for n in range(4)],
    "end": [TurnEnd(id="i1", turn_id="t1", stop_reason="end_turn", words="", duration_seconds=3)],
    "end with words": [
        TurnEnd(id="i1", turn_id="t1", stop_reason="refusal", words="Refused.", summary="Sum")
    ],
    "end in error": [TurnEnd(id="i1", turn_id="t1", stop_reason="error", words="Bad.")],
    "trust": [TrustRequest(id="i1", turn_id="t1", request_id="f", agent_name="D", folder="~",
                           title="Trust?", words="W", asked_at=AT)],
    "trusted": [TrustRequest(id="i1", turn_id="t1", request_id="f", agent_name="D", folder="~",
                             title="Trust?", words="W", state="trusted", outcome="Trusted")],
    "call": [call()],
    "call with a description": [call(description="a.py")],
    "call that describes itself": [call(title="Run a.py", description="a.py")],
    "call with times": [call(started_at=AT, ended_at=AT + 1)],
    "call with odd times": [call(started_at=1e18, ended_at=0.0)],
    "call that began": [call(started_at=AT, status="in_progress")],
    "failed": [call(status="failed", exit_code=3, output="No\n")],
    "cancelled": [call(status="cancelled", command="make")],
    "command": [call(command=LONG, output=LONG)],
    "command at the limit": [call(command="x" * 2000, output="y" * 2000)],
    "command beyond it": [call(command="x" * 2001, output="y" * 2001)],
    "terminal": [
        call(output="a\r\x1b[31mb\n" + LONG, terminal=TerminalView(terminal_id="T", command=LONG))
    ],
    "read": [call(tool_kind="read", output="x", blocks=(block(type="image", data="aGk=",
                                                              mime_type="image/png"),))],
    "todos": [call(todos=(TodoItem(content="A", status="completed"), TodoItem(content="B")),
                   output="x")],
    "no todos": [call(todos=(), output="x")],
    "search": [
        call(files=("a.py",), hits=(SearchHit(path="a.py", line=1, text="h" * 101),), count=3,
             remarks=("Found",), truncated=True, output="a.py")
    ],
    "search of much": [
        call(files=tuple(f"{n}.py" for n in range(51)), output="x",
             hits=tuple(SearchHit(path="a.py", line=n, text="h") for n in range(51)))
    ],
    "raw": [call(raw_input={"x": 1}, raw_output={"y": 2})],
    "task": [
        call(title="Task", subagent_type="Explore"),
        ToolCall(id="i2", turn_id="t1", parent_id="i1", tool_call_id="c2", title="Step"),
        AgentMessage(id="i3", turn_id="t1", parent_id="i2", text="Sub says " + LONG),
        Thought(id="i4", turn_id="t1", parent_id="i1", text="Sub thinks " + LONG),
        ToolCall(id="i5", turn_id="t1", parent_id="i1", tool_call_id="c5", title="Edit",
                 diffs=(DIFFS["one"],), status="completed"),
        block(type="resource_link", uri="u", parent_id="i1"),
        ToolCall(id="i6", turn_id="t1", parent_id="i9", tool_call_id="c6", title="Lost"),
        AgentMessage(id="i7", turn_id="t1", text="Done"),
    ],
    "task of one": [
        call(title="Task", command="x"),
        ToolCall(id="i2", turn_id="t1", parent_id="i1", tool_call_id="c2", title="Step"),
    ],
    **{
        f"task of {count} words": [
            call(title="Task"),
            *(AgentMessage(id=f"i{n}", turn_id="t1", parent_id="i1", text=f"{n}")
              for n in range(2, count + 2)),
        ]
        for count in (100, 101)
    },
    "many calls": [
        ToolCall(id=f"i{n}", turn_id="t1", tool_call_id=f"c{n}", title=f"Call {n}")
        for n in range(30)
    ],
    "calls and messages": [
        each
        for n in range(14)
        for each in (
            ToolCall(id=f"i{2 * n}", turn_id="t1", tool_call_id=f"c{n}", title=f"Call {n}"),
            AgentMessage(id=f"i{2 * n + 1}", turn_id="t1", text=f"Said {n}"),
        )
    ],
    "edits": [
        call(diffs=tuple(DIFFS[name] for name in ("one", "new", "uncounted", "same")), output="ok"),
        ToolCall(id="i2", turn_id="t1", tool_call_id="c2", title="E", status="failed",
                 diffs=(DIFFS["gone"],)),
    ],
    "edit that was allowed": [call(diffs=(DIFFS["one"],), output="ok", permission=permission())],
    **{f"edit {name}": [call(diffs=(diff,))] for name, diff in DIFFS.items()},
    **{
        f"asked {state} {status}": [
            call(status=status, permission=permission(state, outcome=outcome, folder="sub",
                                                      details=(Detail(name="n", value="v"),)))
        ]
        for state in get_args(PermissionState)
        for status, outcome in (("failed", "Rejected"), ("completed", ""))
    },
    "asked of nothing": [call(permission=permission("pending"), status="pending")],
    **{
        f"question {state} {mode}": [
            Elicitation(id="i1", turn_id="t1", request_id="e", title="Question", message="Which?",
                        state=state, mode=mode, heading=heading, outcome=outcome, answers=answers,  # type: ignore[arg-type]
                        url=url)
        ]
        for mode, url, heading in (("form", "", "Head"), ("url", "https://a.b", ""))
        for state, outcome, answers in (
            ("pending", "", ()),
            ("accepted", "Answered", (ElicitationAnswer(name="n", label="L", text="*T*"),)),
            ("accepted", "Link opened", ()),
            ("declined", "Declined", ()),
        )
    },
    "nothing": [],
}  # fmt: skip

CHANGES = TurnChanges(
    files=(ChangedFile(path="a.py", change="modified", old_text_id="1", new_text_id="2"),)
)
TURNS: dict[str, TurnState] = {
    "done": TURN,
    "queued": TURN.model_copy(update={"status": "queued"}),
    "running": TURN.model_copy(update={"status": "running", "started_at": AT}),
    "asking": TURN.model_copy(update={"status": "requires_action"}),
    "timed": TURN.model_copy(update={"started_at": AT, "ended_at": AT + 62, "tokens": 12345}),
    "backwards": TURN.model_copy(update={"started_at": AT, "ended_at": AT - 2}),
    "words": TURN.model_copy(update={"words": "Ended: odd.", "policy": "allow-all"}),
    "from a cell": TURN.model_copy(update={"origin": Origin(cell_id="c", source="x = 1")}),
    "about an error": TURN.model_copy(
        update={"origin": Origin(error=CellError(cell="In[4]", cell_id="c-1", words="E: *no*"))}
    ),
    "about an odd error": TURN.model_copy(
        update={"origin": Origin(error=CellError(cell_id="c)(", words="E"))}
    ),
    "changed": TURN.model_copy(update={"changes": CHANGES}),
    "long prompt": TURN.model_copy(update={"prompt": "p" * 2001}),
}
MODEL = ConfigOption(
    id="m", name="Model", category="model", type="select", current_value="m1",
    choices=(ConfigChoice(value="m1", name="One"),),
)  # fmt: skip
SESSIONS: dict[str, SessionState] = {
    "plain": SESSION,
    "named": SESSION.model_copy(update={"named": True}),
    "untitled": SESSION.model_copy(update={"title": "", "created_at": AT, "updated_at": 1e18}),
    "replayed": SESSION.model_copy(
        update={"agent_info": AgentInfo(id="demo", name="Demo (replayed)", version="")}
    ),
    "with a model": SESSION.model_copy(update={"config_options": (MODEL,)}),
    "with an unlisted model": SESSION.model_copy(
        update={"config_options": (MODEL.model_copy(update={"current_value": "m2"}),)}
    ),
    "with a mode": SESSION.model_copy(
        update={"modes": (Mode(id="a", name="Ask"),), "current_mode_id": "a"}
    ),
    "with an unlisted mode": SESSION.model_copy(update={"current_mode_id": "b"}),
    "with a mode that is an option": SESSION.model_copy(
        update={
            "config_options": (
                MODEL.model_copy(update={"category": "mode", "current_value": True}),
                MODEL.model_copy(update={"category": "mode"}),
            ),
            "current_mode_id": "b",
        }
    ),
}


def page(session: SessionState, turns: list[TurnState], items: list[Item], thoughts: bool) -> str:
    """Return what an HTML page shows, without its head and style."""
    scrubber = Scrubber.of_session(session, Redactor(), "/home/u")
    whole = html_page(session, turns, items, scrubber, thoughts=thoughts)
    body = whole.partition("<body")[2]
    return re.sub(r"\s+", " ", body)


def forms(
    turn: TurnState, items: list[Item], session: SessionState, *, thoughts: bool
) -> Iterator[tuple[str, Any]]:
    yield "markdown", turn_markdown(turn, items, thoughts=thoughts)
    yield "plain", turn_plain_text(turn, items)
    yield "html", page(session, [turn], items, thoughts)
    data = build_bundle(turn, items, session, home="/home/u", thoughts=thoughts).data
    snapshot: Any = data[TURN_MIME]
    saved: Any = snapshot.get("items", [])
    yield "saved", [len(saved), {k: v for k, v in snapshot.items() if k != "items"}]
    for item in [*saved[:3], *saved[-1:]]:
        yield "item", {name: value for name, value in item.items() if value}
    yield "saved markdown", data["text/markdown"]
    yield "saved plain", data["text/plain"]


def written(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(text.replace("\n", "⏎"), MAX)


@pytest.mark.parametrize("thoughts", [False, True])
def test_items(thoughts: bool) -> None:
    def lines() -> Iterator[str]:
        for name, items in ITEMS.items():
            if thoughts and not any(isinstance(item, Thought) for item in items):
                continue
            for form, text in forms(TURN, items, SESSION, thoughts=thoughts):
                yield f"{name}, {form}: {written(text)}"

    check(FOLDER, "items_with_thoughts" if thoughts else "items", lines())


def test_turns_and_sessions() -> None:
    def lines() -> Iterator[str]:
        own = [*ITEMS["edits"], *ITEMS["end"]]
        for name, turn in TURNS.items():
            for items in ([], own[:1], ITEMS["errors"]):
                for form, text in forms(turn, items, SESSION, thoughts=False):
                    yield f"{name} {len(items)}, {form}: {written(text)}"
        for name, session in SESSIONS.items():
            for form, text in forms(TURN, own, session, thoughts=False):
                yield f"{name}, {form}: {written(text)}"
            by_turn = {"t1": own}
            other = TURN.model_copy(update={"turn_id": "t2", "prompt": ""})
            yield f"{name}: {written(session_markdown(session, [TURN, other], by_turn))}"
            late: list[Item] = [*ITEMS["message"], Notice(id="i8", turn_id="t2", text="Between")]
            last: list[Item] = [
                AgentMessage(id="i9", turn_id="t1", text="Late"),
                Notice(id="i10", text="None"),
            ]
            yield f"{name}: {written(page(session, [TURN], [*late, *last], False))}"
        reported = TURN.model_copy(update={"changes": None})
        for files in (0, 1, 2, 3, 4):
            diffs = tuple(Diff(path=f"{n}.py", new_text="x") for n in range(files))
            made: list[Item] = [call(diffs=diffs), call(diffs=diffs, status="failed")]
            yield f"{files} {changed_files(made)}"
            data = build_bundle(reported, made, SESSION).data
            yield f"{files} {written(data[TURN_MIME]['footer'])}"  # type: ignore[index, call-overload]

    check(FOLDER, "turns", lines())


def test_diffs_and_cut_texts() -> None:
    def lines() -> Iterator[str]:
        for name, diff in DIFFS.items():
            yield f"{name}: {written(unified_diff(diff))}"
        for length in (1999, 2000, 2001, 2500):
            for text in ("x" * length, "xy\n" * (length // 3)):
                made = shorten_middle(text, 2000), terminal_tail(text, 2000)
                yield f"{length}: {written(made[0])} {written(made[1])}"

    check(FOLDER, "diffs", lines())


CONTROLS = (
    "abcdef", "\n", "\r", "\b", "\t", "\x07", "\v", "\x1b[A", "\x1b[2B", "\x1b[C", "\x1b[2D",
    "\x1b[E", "\x1b[F", "\x1b[3G", "\x1b[G", "\x1b[2;3H", "\x1b[H", "\x1b[;2f", "\x1b[J", "\x1b[1J",
    "\x1b[2J", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[31m", "\x1b[9999C", "\x1b[99999999999C",
    "\x1b[99;99H", "\x1b[1;9999999999H", "\x1b[0A", "\x1b[xA", "\x1b]0;t\x07", "\x1b(B", "\x1b[",
    "\x1b", "x" * 3999, "x" * 4000, "x" * 4001, "\n" * 29, "a\n" * 30, "a\n" * 31,
    "\x1b[50B", "\x1b[50A",
)  # fmt: skip


def test_terminals() -> None:
    """Every control after, between and before text, and every two together."""

    def lines() -> Iterator[str]:
        for one in CONTROLS:
            for two in CONTROLS:
                shown = plain_lines(f"ab\ncdefghk{one}ef{two}g")
                yield f"{said(one, 16)} {said(two, 16)}: {said(shown)}"

    check(FOLDER, "terminals", lines())
