"""Which of an agent's tool calls a call of our own tools is."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator

from acp_jupyter.host.journal import Journal
from acp_jupyter.notebook.tools.table import SERVER_NAME
from acp_jupyter.packets.json_fields import Obj, obj, text
from acp_jupyter.transcript.events import Event
from acp_jupyter.transcript.items import ToolCall

__all__ = ["find_card", "holds_arguments", "names_tool", "wait_for_card"]

_MOST_ITEMS = 100
_WAIT_SECONDS = 0.5
"""An agent tells of a call by another way than it makes it: either may be first."""
_ARGUMENT_KEYS = ("arguments", "args", "input", "params", "parameters")
_NAME_KEYS = ("tool", "name", "tool_name", "toolName")


def holds_arguments(call: ToolCall, arguments: Obj) -> bool:
    """Tell whether a tool call shows exactly these arguments."""
    shown = obj(call.raw_input)
    inner = [shown.get(key) for key in _ARGUMENT_KEYS]
    return arguments in (shown, *inner, _asked(shown).get("tool_params"))


def find_card(journal: Journal, tool: str, arguments: Obj, taken: set[str]) -> ToolCall | None:
    """Return the newest call under way with that tool's name and arguments that is not taken.

    A call that shows a command is none: what it shows is not what we are to do.
    """
    for call in _open_calls(journal):
        if call.id in taken or call.command or not names_tool(call, tool):
            continue
        if holds_arguments(call, arguments) or not obj(call.raw_input):
            return call
    return None


async def wait_for_card(
    journal: Journal, tool: str, arguments: Obj, taken: set[str]
) -> ToolCall | None:
    """Do the same, and wait a moment for it."""
    reader = _Progress()
    journal.add_reader(reader)
    try:
        async with asyncio.timeout(_WAIT_SECONDS):
            while True:
                reader.news.clear()
                card = find_card(journal, tool, arguments, taken)
                if card is not None:
                    return card
                await reader.news.wait()
    except TimeoutError:
        return None
    finally:
        journal.remove_reader(reader)


class _Progress:
    def __init__(self) -> None:
        self.news = asyncio.Event()

    def push(self, events: Iterable[Event]) -> None:
        """Take note that something was said."""
        self.news.set()


def _open_calls(journal: Journal) -> Iterator[ToolCall]:
    state = journal.transcript
    turn_id = state.session.active_turn_id
    last = len(state.items)
    for place in range(last - 1, max(-1, last - 1 - _MOST_ITEMS), -1):
        item = state.items[place]
        if not isinstance(item, ToolCall) or item.turn_id != turn_id:
            continue
        if item.status in {"pending", "in_progress"}:
            yield item


def _asked(shown: Obj) -> Obj:
    """Return what Codex says of a tool of an MCP server when it asks whether to call it."""
    about = obj(obj(shown.get("request")).get("_meta"))
    return about if about.get("codex_approval_kind") == "mcp_tool_call" else {}


def names_tool(call: ToolCall, tool: str) -> bool:
    """Agents write the server's name before a tool's: ``notebook_run_code``, ``notebook/run_code``.

    ``mcp__notebook__run_code`` is another way.
    """
    source = obj(call.raw_input)
    spelled = [call.tool_name, call.title, *(text(source.get(key)) for key in _NAME_KEYS)]
    asked = _asked(source)
    if asked and source.get("server_name") == SERVER_NAME:
        return f'"{tool}"' in text(obj(source.get("request")).get("message"))
    pattern = re.compile(rf"(?:^|notebook[^a-z]{{1,4}}){re.escape(tool)}(?:$|[^a-z_])")
    return any(pattern.search(words.strip().lower()) for words in spelled if words)
