"""What each line of a log does in each state that a session may be in.

``tests/golden/next_lines`` has a file for each state: what every line changes there, which events
tell it, and, where that differs, a digest of how the session ends after it.
``ACP_WRITE_GOLDEN=1`` writes it anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from acp_jupyter.packets import ParseState, parse_packet
from acp_jupyter.protocol.host_events.notes import SessionOpened, read_note
from acp_jupyter.protocol.packets import PermissionResponse
from acp_jupyter.protocol.parse import elicitation, session, tool_calls
from acp_jupyter.protocol.session_packets import CancelSent, CurrentModelUpdate
from acp_jupyter.protocol.traffic_reader import LogPacket
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript
from tests.acceptance import golden
from tests.support.transcript.outcomes import check, cut, differences

FOLDER = golden.GOLDEN / "next_lines"
MAX = 500

# -- lines -----------------------------------------------------------------------


def update(kind: str, /, **fields: Any) -> LogPacket:
    return parse_packet({"sessionUpdate": kind, **fields}, ParseState())


def build(kind: str, /, **fields: Any) -> LogPacket:
    """Return a packet that is told by its ``type``."""
    return parse_packet({"type": kind, **fields}, ParseState())


def note(name: str, /, **fields: Any) -> LogPacket:
    found = read_note({"note": name, **fields})
    assert found is not None, (name, fields)
    return found


def call(call_id: str, /, **fields: Any) -> LogPacket:
    return update("tool_call", toolCallId=call_id, **fields)


def more(call_id: str, /, **fields: Any) -> LogPacket:
    return update("tool_call_update", toolCallId=call_id, **fields)


def ask(request_id: str, call_id: str, /, options: str = "once no", **fields: Any) -> LogPacket:
    kinds = {
        "once": "allow_once",
        "always": "allow_always",
        "no": "reject_once",
        "never": "reject_always",
        "maybe": "maybe",
        "again": "allow_once",
    }
    offered = [{"optionId": o, "name": o.title(), "kind": kinds[o]} for o in options.split()]
    body: dict[str, Any] = {"toolCall": {"toolCallId": call_id, **fields}, "options": offered}
    packet = tool_calls.permission_request(body, ParseState(), request_id)
    assert packet is not None
    return packet


def answer(request_id: str, option_id: str | None = None, **fields: Any) -> LogPacket:
    return PermissionResponse(request_id=request_id, option_id=option_id, **fields)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def said(words: str) -> dict[str, Any]:
    return {"type": "content", "content": text(words)}


def diff(path: str, old: str | None, new: str) -> dict[str, Any]:
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def terminal(terminal_id: str) -> dict[str, Any]:
    return {"type": "terminal", "terminalId": terminal_id}


def question(request_id: str, **fields: Any) -> LogPacket:
    schema = {"type": "object", "properties": {"colour": {"type": "string", "title": "Colour"}}}
    body = {"mode": "form", "message": "Which?", "requestedSchema": schema, **fields}
    return elicitation.elicitation_request(body, request_id)


def reply(request_id: str, **result: Any) -> LogPacket:
    return elicitation.elicitation_response({"result": result}, request_id)


def settled(request_id: str, by: str, **fields: Any) -> LogPacket:
    return note("permission_settled", request_id=request_id, by=by, **fields)


def file(path: str, **fields: Any) -> dict[str, Any]:
    return {"path": path, "change": "modified", **fields}


HUNKS = [{"old_start": n, "old_end": n + 1, "new_start": n, "new_end": n + 2} for n in (9, 0, 3)]
OTHER_HUNKS = [{"old_start": 1, "old_end": 2, "new_start": 0, "new_end": 2}]
EDIT = {"kind": "edit", "title": "Edit a.py", "rawInput": {"file_path": "/ws/a.py"}}
RUN = {"kind": "execute", "title": "bash", "rawInput": {"command": "make test"}}
READ = {"kind": "read", "title": "Read b.py", "rawInput": {"file_path": "/ws/b.py"}}
TODOS = [{"content": "One", "status": "pending"}, {"content": "Two", "status": "completed"}]
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
LINK = {"type": "resource_link", "uri": "file:///ws/a.py", "name": "a.py"}
META = {"terminal_info": {"terminal_id": "T", "command": "ls", "cwd": "/ws/sub"}}
SCREEN = {"terminal_output": {"terminal_id": "T", "data": "ab\n"}}
EXIT = {"terminal_exit": {"terminal_id": "T", "exit_code": 1, "signal": None}}
MODES: Any = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}
CONFIG: Any = [
    {"id": "model", "category": "model", "name": "Model", "currentValue": "m1", "type": "select",
     "options": [{"value": "m1"}, {"value": "m2", "name": "Two", "description": "Second"},
                 {"name": "G", "options": [{"value": "m3"}, {"value": ""}, 7]},
                 {"group": "H", "options": [{"value": "m4"}]}]},
    {"configId": "thought", "current_value": True, "type": "boolean"},
    {"id": "model", "category": "other", "currentValue": 7},
    {"id": "", "name": "None"},
    {"id": "odd", "type": "slider"},
]  # fmt: skip
RULE = {"id": "r1", "scope": "session", "effect": "allow", "tool_kind": "read", "words": "May"}
LATER = 1_800_000_000

LINES: dict[str, LogPacket] = {
    # turns
    "queue t1": note("turn_queued", turn_id="t1", prompt=[text("  Do it\nnow")]),
    "queue t2": note(
        "turn_queued", turn_id="t2", prompt=[text("And"), IMAGE, LINK, text("this"), {"type": "~"}],
        policy="allow-all", user="ann", rules=[RULE],
    ),
    "queue t3 of no prompt": note("turn_queued", turn_id="t3", prompt=[], policy="allow-all"),
    "start t1": note("turn_started", turn_id="t1"),
    "start t2": note("turn_started", turn_id="t2"),
    "start t3": note("turn_started", turn_id="t3"),
    "start t9": note("turn_started", turn_id="t9"),
    "remove t1": note("turn_removed", turn_id="t1"),
    "remove t2": note("turn_removed", turn_id="t2"),
    "edit t1": note("turn_edited", turn_id="t1", prompt=[text("Other")], policy="ask", user="bob"),
    "edit t2": note("turn_edited", turn_id="t2", prompt=[text("Other"), LINK], rules=[]),
    "edit t3": note("turn_edited", turn_id="t3", prompt=[text("Other")]),
    "move t2": note("turn_moved", turn_id="t2"),
    "move t3": note("turn_moved", turn_id="t3"),
    "stop t1": note("turn_stopped", turn_id="t1"),
    "stop t2": note("turn_stopped", turn_id="t2"),
    "fail t1": note("turn_failed", turn_id="t1", message="No.", detail="d", reason="agent_start"),
    "fail t2": note("turn_failed", turn_id="t2", message="No."),
    "cancel": CancelSent(),
    "end": session.prompt_response({"stopReason": "end_turn"}),
    "end with words": session.prompt_response(
        {"stopReason": "end_turn", "usage": {"inputTokens": 3, "outputTokens": 4}}
    ),
    "end with a total": session.prompt_response(
        {"stopReason": "stop_sequence", "usage": {"totalTokens": 9, "inputTokens": 3}}
    ),
    "end of no tokens": session.prompt_response({"stopReason": "max_tokens", "usage": {}}),
    "end of the CLI": session.prompt_response(
        {
            "stopReason": "end_turn",
            "summary": "Done.",
            "_meta": {"claudeCode": {"durationMs": 1500}},
        }
    ),
    "error of the CLI": session.error({"message": "No", "data": {"durationMs": 2500}}),
    "end cancelled": session.prompt_response({"stopReason": "cancelled"}),
    "end refused": session.prompt_response({"stopReason": "refusal"}),
    "end odd": session.prompt_response({"stopReason": "_odd"}),
    "error": session.error({"code": -32000, "message": " Bad. ", "data": {"details": "why"}}),
    "error within": session.error({"code": -32603, "message": "Internal error", "data": "x.\ny"}),
    "error within of no words": session.error({"code": -32603, "message": "Internal error."}),
    "error of login": session.error({"code": -32000, "message": "Authentication required"}),
    "error packet of login": build("error", message="Log in", code="-32000"),
    # messages
    "text": update("agent_message_chunk", content=text("Hi ")),
    "text m1": update("agent_message_chunk", content=text("one "), messageId="m1"),
    "text m2": update("agent_message_chunk", content=text("two "), messageId="m2"),
    "text later": update("agent_message_chunk", content=text("late"), timestamp=LATER),
    "no text": update("agent_message_chunk", content=text("")),
    "image": update("agent_message_chunk", content=IMAGE),
    "thought": update("agent_thought_chunk", content=text("Hm ")),
    "text of c1": update(
        "agent_message_chunk", content=text("sub "), _meta={"parentToolCallId": "c1"}
    ),
    "thought of c1": update(
        "agent_thought_chunk", content=text("sub? "), _meta={"parentToolCallId": "c1"}
    ),
    "image of c1": update(
        "agent_thought_chunk", content=IMAGE, _meta={"parentToolCallId": "c1"}
    ),
    "call of c1": call("sub", **READ, _meta={"parentToolCallId": "c1"}),
    "call c2 is of c1": more("c2", _meta={"parentToolCallId": "c1"}),
    "call c1 is of c2": more("c1", _meta={"parentToolCallId": "c2"}),
    "user text": update("user_message_chunk", content=text("Asked ")),
    "user image": update("user_message_chunk", content=IMAGE),
    "step starts": build("step_start", step_id="s", step_name="Look"),
    "step goes on": build("step_delta", step_id="s", content=text("at it")),
    "step of none": build("step_delta", content=text("at all")),
    "step ends": build("step_end", step_id="s"),
    "message starts": build("output_start"),
    "message ends": build("output_end"),
    "plan": update("plan", entries=[{"content": "One", "status": "in_progress"}]),
    "plan of none": update("plan", entries=[]),
    "plan of text": update("plan_update", planId="p", content="# Plan"),
    "plan removed": update("plan_removed"),
    "plan p removed": update("plan_removed", planId="p"),
    "notice": update("notice", severity="warning", title="Careful", message="Hot"),
    "compaction done": update(
        "compaction_update", status="completed", compactionId="k", summary=[text("All.")]
    ),
    "compaction of no id": update("compaction_update", status="failed", error="Full"),
    "compaction": update("compaction_update", status="in_progress", compactionId="k"),
    "compaction text": update(
        "compaction_summary_chunk", content=text("Before. "), compactionId="k"
    ),
    "unknown": update("_new", x=1),
    "unknown too": update("_newer", x=2),
    "call of no id": update("tool_call", title="x"),
    "unknown of no kind": update("unknown"),
    "unknown of nothing": build("_other"),
    "usage": update("usage_update", used=5, size=10, cost={"amount": 0.5, "currency": "USD"}),
    "notice of the host": note("host_notice", text="Note this", severity="error"),
    # tool calls
    "call c1": call("c1", **EDIT, status="in_progress"),
    "call c2": call("c2", **RUN, status="pending"),
    "call c3": call("c3", title="Something"),
    "call c1 pending": more("c1", status="pending"),
    "call c1 runs": more("c1", status="in_progress", title="Now", locations=[]),
    "call c1 done": more("c1", status="completed"),
    "call c1 failed": more("c1", status="failed", content=[said("No such file")]),
    "call c1 says": more("c1", content=[said("Wrote it")]),
    "call c1 changes": more("c1", content=[diff("/ws/a.py", "a\nb\n", "a\nc\nd\n")]),
    "call c1 makes": more("c1", content=[diff("/ws/n.py", None, "n\n"), said("Made")]),
    "call c1 of nothing": more("c1", content=[]),
    "call c1 is of another": more("c1", rawInput={"file_path": "/etc/x"}, kind="edit"),
    "call c1 at places": more("c1", locations=[{"path": "/ws/a.py", "line": 3}, {"path": "/x"}]),
    "call c1 pictures": more("c1", content=[{"type": "content", "content": IMAGE}]),
    "call c1 result": more("c1", rawOutput={"output": "text of it"}),
    "call c1 is a search": more(
        "c1", kind="search", title="grep", rawInput={"pattern": "x"}, status="completed",
        rawOutput={"output": "a.py:1:x\nb.py:2:x", "count": 2, "truncated": True},
    ),
    "call c1 search failed": more(
        "c1", kind="search", title="grep", status="failed", content=[said("No grep")]
    ),
    "call c1 todos": more(
        "c1", title="todowrite", rawInput={"todos": TODOS}, status="completed", content=[said("ok")]
    ),
    "call c1 todos by its result": more(
        "c1", title="todowrite", rawInput={}, rawOutput={"metadata": {"todos": TODOS}}
    ),
    "call c1 todos by an odd result": more(
        "c1", title="todowrite", rawOutput={"metadata": {"todos": []}}
    ),
    "call c5 is of n.py": call("c5", kind="edit", rawInput={"file_path": "/ws/n.py"}),
    "call c5 is of b.py": call(
        "c5", kind="edit", rawInput={"file_path": "b.py"}, locations=[{"path": "/ws/a.py"}]
    ),
    "call c1 todos of none": more("c1", title="todowrite", rawInput={"other": 1}),
    "call c1 is a task": more(
        "c1", title="task", rawInput={"subagent_type": "Explore", "prompt": "p"}
    ),
    "call c1 reads": more(
        "c1", title="read", kind="read", status="completed",
        content=[said("<file>\n00007| seven\n(File has more lines. Use 'offset')\n</file>")],
    ),
    "call c2 runs": more("c2", status="in_progress", content=[said("line 1\n")]),
    "call c2 runs on": more("c2", content=[said("line 1\nline 2\n")]),
    "call c2 done": more("c2", status="completed", rawOutput={"output": "all\n", "exit": 0}),
    "call c2 ended in error": more("c2", status="failed", rawOutput={"exit_code": 2}),
    "call c2 only done": more("c2", status="completed"),
    "call c2 has other words": more("c2", rawInput={"command": "rm -r ."}),
    "call c2 says why": more("c2", title="make", content=[said("bash")]),
    "call c2 shows T": more("c2", content=[terminal("T")]),
    "call c2 shows H": more("c2", content=[terminal("H")]),
    "call c4 shows H": call("c4", **RUN, content=[terminal("H")]),
    "call c2 of T": more("c2", _meta=META),
    "call c2 prints": more("c2", _meta=SCREEN),
    "call c2 prints more": more(
        "c2", _meta={"terminal_output": {"terminal_id": "T", "data": "ab\ncd\n"}}
    ),
    "call c2 exits": more("c2", status="failed", _meta=EXIT, content=[said("Exit code 3\nab")]),
    "call c2 ends": more("c2", status="completed", content=[said("whole")]),
    "call c3 says": more("c3", progress=0.5, message="Half", _meta={}),
    # what the host runs
    "H starts": note("terminal_started", terminal_id="H", command="make\nit", cwd="/ws/sub"),
    "H prints": note("terminal_output", terminal_id="H", text="out\n"),
    "H prints nothing": note("terminal_output", terminal_id="H"),
    "H leaves out": note("terminal_output", terminal_id="H", text="end", left_out=1234),
    "H is cut": note("terminal_output", terminal_id="H", text="x", cut=True),
    "H exits": note("terminal_exited", terminal_id="H", exit_code=0),
    "H fails": note("terminal_exited", terminal_id="H", exit_code=3),
    "H is killed": note("terminal_exited", terminal_id="H", signal="SIGTERM", by="user"),
    "H is late": note("terminal_exited", terminal_id="H", signal="SIGKILL", by="time_limit"),
    "H is released": note("terminal_released", terminal_id="H"),
    # permission requests
    "ask c1": ask("p1", "c1", "once always no never", **EDIT),
    "ask c1 again": ask("p2", "c1", "once no", **EDIT),
    "ask c1 for another": ask("p2", "c1", "once no", kind="edit", rawInput={"file_path": "/ws/z"}),
    "ask c2": ask("p3", "c2", "no once", **RUN, content=[said("Because\nof it "), terminal("T")]),
    "ask c2 again of no words": ask("p4", "c2"),
    "ask c2 by its label": ask("p3", "label", "once no", title="bash", kind="execute"),
    "ask c2 by its command": ask("p3", "l", kind="execute", rawInput={"command": "make test"}),
    "ask of another command": ask("p3", "l", kind="execute", rawInput={"command": "make"}),
    "ask c9": ask("p9", "c9", "once maybe", title="Delete it", kind="delete"),
    "ask c9 with doubles": ask("p9", "c9", "no once once no", kind="fetch",
                               rawInput={"url": "https://a.b/c"}),
    "ask c1 with a diff": ask("p1", "c1", "once no", **EDIT,
                              content=[diff("/ws/a.py", "a\n", "b\n")]),
    "ask c1 with nothing": ask("p1", "c1", "again once", rawInput={}, content=[], status="failed"),
    "allowed already": build(
        "permission_request", request_id="pa", auto_approve=True, tool_call_id="c8",
        tool_name="bash", raw_input={"command": "ls"}, options=[],
    ),
    "ask of the host": build(
        "permission_request", request_id="t1", action="read a secret", reason="It is one.",
        options=[{"option_id": "once", "name": "Once", "kind": "allow_once"}],
        tool_call={"toolCallId": "c7", "kind": "read", "rawInput": {"path": "/ws/.env"}},
    ),
    "allow p1": answer("p1", "once"),
    "always p1": answer("p1", "always"),
    "never p1": answer("p1", "never"),
    "reject p1": answer("p1", "no"),
    "reject p1 with words": answer("p1", "no", reason="Not there"),
    "dismiss p1": answer("p1"),
    "odd answer to p1": answer("p1", "what"),
    "yes to p1": answer("p1", approved=True),
    "no to p1": answer("p1", approved=False),
    "allow p2": answer("p2", "once"),
    "allow p3": answer("p3", "once"),
    "no to p3": answer("p3", approved=False),
    "maybe to p9": answer("p9", "maybe"),
    "user answers p1": settled("p1", "user", reason="Not so", shown_name="Ann"),
    "policy answers p1": settled("p1", "policy", rule="accept-edits"),
    "rule answers p1": settled("p1", "rule", rule="edit:a.py"),
    "record answers p1": settled("p1", "record"),
    "nobody answers p1": settled("p1", "nobody"),
    "p1 goes with its turn": settled("p1", "turn_cancelled"),
    "p1 goes with its agent": settled("p1", "agent_exited"),
    "p1 is withdrawn": settled("p1", "withdrawn"),
    "p3 is withdrawn": settled("p3", "withdrawn"),
    # questions
    "ask e1": question("e1", toolCallId="c1"),
    "ask e2 by a page": question("e2", mode="url", url="https://a.b/c", elicitationId="u"),
    "ask e3 of nothing": question("e3", requestedSchema={"type": "array"}),
    "answer e1": reply("e1", action="accept", content={"colour": "red"}),
    "decline e1": reply("e1", action="decline"),
    "cancel e1": reply("e1", action="cancel"),
    "error to e1": elicitation.elicitation_response({"error": {"message": "Broken"}}, "e1"),
    "accept e2": reply("e2", action="accept"),
    "page of e2 is done": elicitation.elicitation_complete({"elicitationId": "u"}),  # type: ignore[dict-item]
    "user answers e1": note(
        "elicitation_settled", request_id="e1", by="user", shown_name="Ann"
    ),
    "nobody answers e1": note("elicitation_settled", request_id="e1", by="nobody"),
    "e1 goes with its turn": note("elicitation_settled", request_id="e1", by="turn_cancelled"),
    "e1 goes with its agent": note("elicitation_settled", request_id="e1", by="agent_exited"),
    "e1 is withdrawn": note("elicitation_settled", request_id="e1", by="withdrawn"),
    "ask for trust": note("trust_asked", request_id="f1", agent_name="Demo", folder="~/ws"),
    "ask for trust in a recording": note(
        "trust_asked", request_id="f1", agent_name="Demo", folder="~", recording="r.ndjson",
        warning="All of it.",
    ),
    "trusted": note("trust_settled", request_id="f1", trusted=True, shown_name="Ann"),
    "not trusted": note("trust_settled", request_id="f1"),
    "trust goes with its turn": note("trust_settled", request_id="f1", by="turn_cancelled"),
    # files
    "wrote a.py": note("file_written", path="/ws/a.py", old_text="a\n", new_text="b\n"),
    "wrote a.py again": note("file_written", path="/ws/a.py", old_text="b\n", new_text="c\n"),
    "wrote n.py": note("file_written", path="/ws/n.py", new_text="n\n"),
    "wrote and saved in an editor": note(
        "file_saved", turn_id="t1", path="/ws/a.py", by_agent=True
    ),
    "wrote to a disk": note("agent_wrote_to_disk", turn_id="t1", since=1.0, until=2.0),
    "wrote what is not kept": note("file_written", path="/ws/a.py", kept=False),
    "t1 changed": note(
        "turn_changes", turn_id="t1", left_out=2, checkpoint="k",
        files=[file("a.py"), file("b.py", reverted=True, together=["t0"])],
    ),
    "t1 changed, and its user": note(
        "turn_changes",
        turn_id="t1",
        files=[file("a.py", author="agent"), file("b.py", author="you", kept=False)],
    ),
    "t9 changed": note("turn_changes", turn_id="t9", files=[file("a.py")]),
    "revert of a turn that nobody knows": note("turn_reverted", turn_id="t9", paths=["a.py"]),
    "trust of a request that nobody knows": note("trust_settled", request_id="f9", trusted=True),
    "revert a.py": note("turn_reverted", turn_id="t1", paths=["a.py"], earlier=["t0"]),
    "revert a.py alone": note("turn_reverted", turn_id="t1", paths=["a.py", "c.py"]),
    "undo a.py": note("turn_reverted", turn_id="t1", paths=["a.py", "b.py"], undone=True),
    "revert parts": note(
        "turn_reverted", turn_id="t1", hunks=[{"path": "a.py", "hunks": HUNKS}], earlier=["t0"]
    ),
    "revert another part": note(
        "turn_reverted", turn_id="t1", hunks=[{"path": "a.py", "hunks": OTHER_HUNKS}]
    ),
    "undo parts": note(
        "turn_reverted", turn_id="t1", hunks=[{"path": "a.py", "hunks": HUNKS[:2]}], undone=True
    ),
    "undo all parts": note(
        "turn_reverted", turn_id="t1", hunks=[{"path": "a.py", "hunks": HUNKS}], undone=True,
        earlier=["t0"],
    ),
    "artifact": build(
        "artifact_created",
        artifact={"id": "A", "type": "slides", "name": "Deck", "path": "/ws/out/d.pptx",
                  "preview_url": "/p/{session_id}/d", "size_bytes": 2048},
    ),
    "artifact anew": build(
        "artifact_created", artifact={"id": "A", "type": "chart", "name": "Plot", "path": "p.png"}
    ),
    "artifacts of t1": note(
        "artifacts_made", turn_id="t1", left_out=1,
        artifacts=[{"id": "B", "type": "image", "name": "B", "path": "/ws/b.png"}],
    ),
    "more artifacts of t1": note("artifacts_made", turn_id="t1", left_out=2),
    "no artifacts of t1": note("artifacts_made", turn_id="t1"),
    "artifacts of t9": note("artifacts_made", turn_id="t9", left_out=3),
    "file write": build("file_write", path="/ws/out/a.txt", operation="create", size_bytes=1),
    # the session
    "agent starts": note("agent_starting"),
    "agent exits": note("agent_exited", words="Gone"),
    "start fails": note("start_failed", message="No such program", detail="d"),
    "attached": note("session_attached", how="new", agent_session_id="a1"),
    "attached without history": note(
        "session_attached", how="new", agent_session_id="a2", without_history=True
    ),
    "silent": note("agent_silent", turn_id="t1", since=5.0),
    "looks": note("folder_look", turn_id="t1"),
    "has looked": note("folder_look", turn_id="t1", over=True),
    "held": note("message_held", words="Waits"),
    "not held": note("message_held"),
    "setup": session.session_setup({"modes": MODES, "configOptions": CONFIG}),
    "setup of nothing": session.session_setup({}),
    "config": update("config_option_update", configOptions=CONFIG[:2]),
    "model m2": CurrentModelUpdate(model_id="m2"),
    "mode code": update("current_mode_update", currentModeId="code"),
    "mode of build": build("mode_update", mode="fast", description="Be quick"),
    "commands": update(
        "available_commands_update",
        availableCommands=[{"name": "init", "description": "Set up", "input": {"hint": "what"}}],
    ),
    "title": update("session_info_update", title="Their title"),
    "no title": update("session_info_update", title=None),
    "model": update("session_info_update", model="m", tools=["a", "b"]),
    "title by the user": note("title_changed", title="My title"),
    "no title by the user": note("title_changed", title=""),
    "policy ask": note("policy_changed", policy="ask", user="ann"),
    "policy deny": note("policy_changed", policy="deny"),
    "rules": note("rules_changed", rules=[RULE]),
    "agent's name": session.agent_info(
        {"agentInfo": {"name": "x", "title": "The Agent", "version": "1.2"},
         "agentCapabilities": {"loadSession": True, "promptCapabilities": {"image": True}}}
    ),
    "no name": session.agent_info({}),
    "login needed": note("login_needed", message="Log in"),
    "login starts": note("login_started", method_id="m", name="With a key", terminal="1"),
    "login done": note("login_done", ok=True),
    "login fails": note("login_done", ok=False, message="Wrong key"),
    "logged out": note("login_done", ok=True, message="Logged out", logged_out=True),
    "noise": note("noise", text="?"),
}  # fmt: skip

RUNS = ("queue t1", "start t1")
CHANGES = (*RUNS, "text", "end", "t1 changed")
STATES: dict[str, tuple[str, ...]] = {
    "new": (),
    "queued": ("setup", "queue t1", "queue t3 of no prompt", "queue t2"),
    "started": (*RUNS, "queue t2"),
    "starting": ("agent starts", *RUNS),
    "cancelling": (*RUNS, "text", "cancel"),
    "talking": (*RUNS, "notice", "plan", "plan of text", "text m1"),
    "thinking": (*RUNS, "step starts", "thought"),
    "editing": (*RUNS, "call c1", "call c1 changes"),
    "making": (*RUNS, "call c1", "call c1 makes", "call c2", "text of c1"),
    "task": (*RUNS, "call c1", "call c1 is a task", "call c2", "thought of c1", "text"),
    "todos": (*RUNS, "call c1", "call c1 todos", "call of c1"),
    "found": (*RUNS, "call c1", "call c1 is a search", "call c2", "call c2 runs"),
    "asked": (*RUNS, "call c1", "ask c1", "call c1 is of another", "call c1 at places"),
    "asked with a diff": (*RUNS, "call c2", "ask c1 with a diff", "call c1 says"),
    "asked twice": (*RUNS, "call c1", "ask c1", "call c2", "ask c2", "ask c1 again"),
    "asked by policy": (*RUNS, "ask c1", "policy answers p1", "call c2", "ask c9"),
    "asked by user": (*RUNS, "call c1 changes", "ask c1", "user answers p1"),
    "asked by record": (*RUNS, "call c1", "ask c1", "record answers p1"),
    "asked of nothing": (*RUNS, "call c1", "call c1 changes", "ask c1 with nothing", "ask c9"),
    "allowed": (*RUNS, "call c1", "ask c1", "allow p1", "call c3"),
    "always": (*RUNS, "ask c1", "always p1", "call c2", "ask c2", "allow p3"),
    "rejected": (*RUNS, "call c1", "ask c1", "reject p1 with words"),
    "asked and stopped": (*RUNS, "call c1", "ask c1", "cancel", "p1 goes with its turn"),
    "question": (*RUNS, "call c1", "ask e1", "ask e2 by a page"),
    "question settled": (*RUNS, "ask e1", "user answers e1", "ask e2 by a page", "accept e2"),
    "question withdrawn": (*RUNS, "ask e1", "e1 is withdrawn", "ask for trust"),
    "question to nobody": (*RUNS, "ask e3 of nothing", "ask e1", "nobody answers e1"),
    "trust": (*RUNS, "ask for trust in a recording"),
    "running": (*RUNS, "call c2", "call c2 runs", "call c1"),
    "printing": (*RUNS, "call c2", "call c2 of T", "call c2 prints"),
    "exited": (*RUNS, "call c2", "call c2 prints", "call c2 exits"),
    "terminal": (*RUNS, "H starts", "H prints", "call c2"),
    "terminal named": (*RUNS, "call c2", "H starts", "H prints", "call c2 shows H"),
    "terminal alone": (*RUNS, "call c2", "call c2 done", "H starts", "H prints"),
    "terminal waits": (*RUNS, "call c2", "H starts", "H prints", "H exits"),
    "wrote": (*RUNS, "wrote a.py", "wrote n.py"),
    "wrote in a card": (*RUNS, "call c1", "wrote a.py"),
    "wrote and asked": (*RUNS, "wrote a.py", "ask c1"),
    "done": (*RUNS, "call c2", "text", "end"),
    "done in text": (*RUNS, "call c1", "text", "end", "queue t2"),
    "done and stopped": (*RUNS, "call c1", "H starts", "text", "cancel", "end", "start fails"),
    "next turn": (*RUNS, "call c1", "call c2", "end", "queue t2", "start t2", "wrote a.py"),
    "next turn of unended": (*RUNS, "plan", "call c1", "unknown", "queue t2", "start t2"),
    "changed": CHANGES,
    "reverted": (*CHANGES, "revert a.py"),
    "parts reverted": (*CHANGES, "revert parts"),
    "parts and all reverted": (*CHANGES, "revert parts", "revert a.py alone"),
    "changed while it runs": (*RUNS, "t1 changed", "artifact"),
    "made": (*RUNS, "artifact", "artifacts of t1", "text", "end"),
    "replaying": ("user text",),
    "replayed": ("user text", "text", "call c1"),
    "logging in": ("login needed", "login starts"),
    "login failed": (*RUNS, "error packet of login", "login fails", "queue t2", "start t2"),
    "stopped": (*RUNS, "text", "agent exits"),
    "session": ("setup", "agent's name", "title by the user", *RUNS, "silent", "compaction"),
    "summary": (*RUNS, "compaction", "compaction text", "image"),
}
ENDING = ("call c1 says", "call c2 done", "text", "H exits", "allow p1", "end", "call c1", "text")

# -- what they do -----------------------------------------------------------------

State = tuple[Transcript, float]


def take(state: State, name: str) -> tuple[State, list[Event]]:
    transcript, at = state
    transcript, events = reduce(transcript, LINES[name], at + 1)
    return (transcript, at + 1), events


def after(names: Iterable[str], state: State | None = None) -> State:
    if state is None:
        opening = SessionOpened(
            session_id="s1", agent_id="demo", agent_name="Demo", cwd="/ws", folder="~/ws"
        )
        state = opened_transcript(opening, 0.0), 0.0
    for name in names:
        state, _ = take(state, name)
    return state


def shown(state: State) -> Any:
    """Return all that can be seen of a session."""
    transcript, _ = state
    items = transcript.window(0, len(transcript.items))
    return {
        "items": {item.id: item.model_dump(mode="json", exclude_defaults=True) for item in items},
        "turns": {
            name: turn.model_dump(mode="json", exclude_defaults=True)
            for name, turn in transcript.turns.items()
        },
        "is": transcript.session.model_dump(mode="json", exclude_defaults=True),
    }


def told(events: Iterable[Event]) -> str:
    """Return the events by their kinds, with what their fields say as a digest."""
    listed = list(events)
    whole = "".join(event.model_dump_json() for event in listed)
    digest = hashlib.sha256(whole.encode()).hexdigest()[:6]
    return f"{' '.join(event.kind for event in listed)} {digest}" if listed else ""


def lines_of(name: str) -> Iterator[str]:
    state = after(STATES[name])
    before = shown(state)
    ending = digest_of(shown(after(("noise", *ENDING), state)))
    yield json.dumps(STATES[name])
    for line in LINES:
        new, events = take(state, line)
        changes = cut("; ".join(differences(before, shown(new), "")), MAX)
        then = digest_of(shown(after(ENDING, new)))
        if changes or events or then != ending:
            yield f"{line}: {changes} [{told(events)}]{f' {then}' if then != ending else ''}"


def digest_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:6]


@pytest.mark.parametrize("name", STATES)
def test_what_a_line_does(name: str) -> None:
    check(FOLDER, name.replace(" ", "_"), lines_of(name))


UNREAD = ("unknown", "unknown too", "call of no id", "unknown of no kind", "unknown of nothing")


def test_every_line_is_read() -> None:
    unread = [name for name, packet in LINES.items() if getattr(packet, "type", "") == "unknown"]
    assert unread == [*UNREAD]
