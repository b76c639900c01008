"""Updates that are not as the protocol has them: each mode sends some and ends its turn."""

from __future__ import annotations

from typing import Any

from _wire import Json, Prompt, Wire

from hazards.mode import Mode, chunk, notify

__all__ = ["MODES"]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(call_id: str, **fields: Any) -> Json:
    return {"sessionUpdate": "tool_call", "toolCallId": call_id, **fields}


def progress(call_id: str, **fields: Any) -> Json:
    return {"sessionUpdate": "tool_call_update", "toolCallId": call_id, **fields}


def output(words: str) -> list[Json]:
    return [{"type": "content", "content": text(words)}]


UPDATES: dict[str, list[Any]] = {
    "unknown_update": [{"sessionUpdate": "hologram", "depth": 3}],
    "update_is_no_object": ["words", None, 7, [], {}],
    "odd_kind_and_status": [
        call("a", title="Save notes.txt", kind="write", status="running"),
        call("b", title="make test", kind="command", status="weird"),
        call("c", title="Fly", kind="levitate", status="pending"),
        progress("a", status="done"),
        progress("b", status="cancelled"),
    ],
    "call_without_title": [call("a", kind="execute", rawInput={"command": "ls -l"})],
    "call_without_id": [{"sessionUpdate": "tool_call", "title": "Nobody's"}],
    "content_string": [
        chunk("a plain string"),
        call("a", title="t", content="tool output as a string", status="completed"),
    ],
    "content_bare_block": [
        call("a", title="t", content=output("first")),
        progress("a", content=[text("bare block")], status="completed"),
    ],
    "content_list": [chunk([text("one "), text("two")])],
    "content_of_unknown_type": [
        chunk({"type": "hologram", "data": 1}),
        call("a", title="t", content=output("kept")),
        progress("a", content=[{"type": "hologram"}, *output("kept too")], status="completed"),
    ],
    "media_type": [chunk({"type": "image", "data": "iVBORw0KGgo=", "mediaType": "image/png"})],
    "plan_without_priority": [
        {
            "sessionUpdate": "plan",
            "entries": [
                {"content": "look", "status": "completed"},
                {"content": "think", "status": "pondering"},
                "write",
            ],
        }
    ],
    "usage_of_nothing": [
        {"sessionUpdate": "usage_update", "used": 100, "size": 1000},
        {"sessionUpdate": "usage_update", "used": None, "size": 1000},
    ],
    "usage_as_floats": [{"sessionUpdate": "usage_update", "used": 12.7, "size": 200000.0}],
    "commands_incomplete": [
        {
            "sessionUpdate": "available_commands_update",
            "availableCommands": [{"name": "/init"}, "plan", 5, {"description": "nameless"}],
        }
    ],
    "snake_case": [
        {"session_update": "agent_message_chunk", "content": text("snake ")},
        {
            "session_update": "tool_call",
            "tool_call_id": "a",
            "title": "ls",
            "kind": "execute",
            "raw_input": {"command": "ls"},
            "raw_output": {"output": "notes.txt", "exit_code": 0},
            "status": "completed",
        },
    ],
    "extra_fields": [
        chunk(text("with extras"), type="x", timestamp=1, id="y", name="z", _meta=None),
    ],
    "status_backwards": [
        call("a", title="t", status="pending"),
        progress("a", status="completed"),
        call("a", title="t", status="pending"),
        progress("a", status="in_progress"),
    ],
    "title_changes": [
        call("a", title="Terminal", kind="execute", status="pending", rawInput={}),
        progress("a", title="ls -l", rawInput={"command": "ls -l"}, status="in_progress"),
        progress("a", title="List the files", status="completed"),
    ],
    "one_id_announced_twice": [
        call("a", title="Read a", kind="read", status="in_progress", rawInput={"path": "a"}),
        call("a", title="Read a", kind="read", status="completed", content=output("A")),
    ],
    "input_emptied": [
        call("a", title="t", kind="execute", rawInput={"command": "make"}, content=output("ok")),
        progress("a", rawInput=None, content=None, title=None, status="completed"),
    ],
    "meta_only": [
        call("a", title="Read a", kind="read", status="completed", content=output("A")),
        progress("a", _meta={"claudeCode": {"toolName": "Read"}}),
    ],
    "empty_chunks": [chunk(text("")), chunk(text("Words.")), chunk(text("")), chunk(None)],
    "prompt_echoed": [
        {"sessionUpdate": "user_message_chunk", "content": text("go")},
        chunk(text("Echoed.")),
    ],
    "old_text_empty": [
        call(
            "a",
            title="Write new.txt",
            kind="edit",
            status="completed",
            content=[{"type": "diff", "path": "new.txt", "oldText": "", "newText": "x\n"}],
        )
    ],
    "places_of_any_shape": [
        call("a", title="t", kind="read", locations=["/x", {"line": 2}, 5, {"path": "y"}]),
    ],
    "terminal_of_nobody": [
        call(
            "a",
            title="ls",
            kind="execute",
            content=[{"type": "terminal", "terminalId": "t-9"}],
            _meta={"terminal_info": {"terminal_id": "t-9"}},
        ),
        progress("a", _meta={"terminal_output": {"terminal_id": "t-9", "data": "notes.txt\r\n"}}),
        progress(
            "a",
            status="completed",
            _meta={"terminal_exit": {"terminal_id": "t-9", "exit_code": 0, "signal": None}},
        ),
    ],
    "options_of_any_shape": [
        {
            "sessionUpdate": "config_option_update",
            "configOptions": [
                {"id": "dial", "name": "Dial", "type": "dial", "currentValue": 5},
                3,
                {
                    "id": "fast",
                    "name": "Fast",
                    "type": "boolean",
                    "currentValue": True,
                    "category": "permissions",
                },
            ],
        }
    ],
    "mode_of_nobody": [{"sessionUpdate": "current_mode_update", "modeId": "yolo"}],
    "notice": [
        {"sessionUpdate": "notice", "severity": "warning", "title": "Careful"},
        {"sessionUpdate": "notice", "severity": "_new", "title": "New", "description": "Words"},
        {"sessionUpdate": "notice", "severity": 5, "title": "", "description": None},
        {"sessionUpdate": "notice", "severity": "error", "title": "L" * 10_000},
    ],
    "plans_by_id": [
        {
            "sessionUpdate": "plan_update",
            "plan": {"type": "items", "planId": "p", "entries": [{"content": "look"}]},
        },
        {
            "sessionUpdate": "plan_update",
            "plan": {"type": "markdown", "planId": "q", "content": "# Plan"},
        },
        {
            "sessionUpdate": "plan_update",
            "plan": {"type": "items", "planId": "p", "entries": [{"content": "think"}]},
        },
        {"sessionUpdate": "plan_removed", "planId": "q"},
    ],
    "compaction": [
        {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"},
        {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": text("We ")},
        {"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": text("ran.")},
        {"sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed"},
        {"sessionUpdate": "compaction_summary_chunk", "compactionId": "d", "content": text("!")},
        {
            "sessionUpdate": "compaction_update",
            "compactionId": "d",
            "status": "failed",
            "error": "no room",
            "summary": [text("half "), 5, text("done")],
        },
        {"sessionUpdate": "compaction_update", "compactionId": "d", "status": "failed"},
        {
            "sessionUpdate": "compaction_update",
            "compactionId": "e",
            "status": "cancelled",
            "error": "stopped",
            "summary": [text("gone")],
        },
        {
            "sessionUpdate": "compaction_update",
            "compactionId": "e",
            "status": "_thinking",
            "error": None,
            "summary": [],
        },
        *(
            {
                "sessionUpdate": "compaction_summary_chunk",
                "compactionId": "f",
                "content": text("long " * 100),
            }
            for _ in range(50)
        ),
    ],
    "whole_buffer_again": [
        call("a", title="t", kind="execute", content=output("one\n")),
        progress("a", content=output("one\ntwo\n")),
        progress("a", content=output("one\ntwo\nthree\n"), status="completed"),
    ],
    "nothing": [],
}


def _sending(updates: list[Any]) -> Prompt:
    def prompt(wire: Wire, session_id: str, _: str) -> str:
        for update in updates:
            notify(wire, session_id, update)
        return "end_turn"

    return prompt


MODES = {name: Mode(_sending(updates)) for name, updates in UPDATES.items()}
