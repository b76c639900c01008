"""The permission for a call of a notebook tool, and the call's card.

Permission is requested once: on the agent's card of the call if there is one, else on a card of
the host's. The call comes over MCP and its card over ACP, so either may come first; a call waits
half a second for its card. An agent that shows no cards has the host show them: see `ShownCall`.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import JsonValue

from acp_jupyter.host.requests.host_permissions import ALLOW, request_for_host
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.notebook_tools.tools import SERVER_NAME
from acp_jupyter.protocol.content import text_content
from acp_jupyter.protocol.formatting import shorten_middle
from acp_jupyter.protocol.host_events.notes import ImportedPacket
from acp_jupyter.protocol.objects import Obj, obj, text
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.tool_items import ToolCall


class ToolRefused(Exception):
    """A tool call is not allowed; the message says why, for the agent."""


@dataclass(frozen=True, slots=True)
class ToolAction:
    """The action of a tool call, for the permission request."""

    tool: str
    arguments: Obj
    """The arguments as the agent sent them; shown to the user, too."""
    kind: Literal["edit", "execute"]
    words: str
    """The action in words, e.g. ``run code in the notebook's kernel``."""
    title: str
    location: str
    """The notebook's absolute path, for policies and rules."""
    reason: str = ""
    """Further text for the user."""
    code: str = ""
    """The code that will run, if it is not in the arguments."""
    diff: tuple[str, str] | None = None
    """A source before and after."""


class ToolPermissions:
    """Requests permission for the tool calls of a session, from rules, policy or user."""

    def __init__(self, session: Session, own_id: str = "") -> None:
        self._session = session
        self.own_id = own_id
        self.requested = False
        """Whether permission was requested; the request then shows the call."""
        self._taken: set[str] = set()
        """Ids of items whose permission was used; each is valid for one call."""

    @property
    def confined(self) -> bool:
        """Whether a sandbox holds the agent's processes."""
        walls = self._session.state.walls
        return walls is not None and walls.level != "none"

    async def request(self, action: ToolAction) -> CallCard:
        """Wait for permission; return the card that shows the call's progress."""
        permissions = self._session.turns.permissions
        self.refuse_forbidden()
        journal = self._session.journal
        card = None
        if not self.own_id:
            card = await wait_for_card(journal, action.tool, action.arguments, self._taken)
        if card is not None:
            self._taken.add(card.id)
            if self._was_allowed(card, action):
                return CallCard(self.write, card.tool_call_id, own=False).begun()
        # Use a card of ours if a request on the agent's card has shown something else.
        joined = card is not None and card.permission is None
        call_id = card.tool_call_id if card is not None and joined else self.own_id or new_id()
        self.requested = True
        call_card = CallCard(self.write, call_id, own=not joined)
        request_id = f"t{secrets.token_hex(8)}"
        call: Obj = {"toolCallId": call_id, **_tool_call(action)}
        try:
            option = await request_for_host(
                journal, permissions, request_id, call, words=action.words, reason=action.reason
            )
        except asyncio.CancelledError:
            call_card.done(failed=True)  # the agent cancelled the call, and may go on
            raise
        shown = permissions.allowed_by_user.get(request_id)
        if option != ALLOW:
            call_card.done(failed=True)
            raise ToolRefused(_refusal(option))
        self._refuse_forbidden(permissions.forbidden())
        if shown is not None and not holds_arguments(shown, action.arguments):
            call_card.done(failed=True)
            raise ToolRefused("What was shown to the user is not what this call does. Try again.")
        return call_card.begun()

    def goes_on(self, turn_id: str) -> bool:
        """Return whether a turn is still running. May be called in any thread."""
        return self._session.state.active_turn_id == turn_id

    def _was_allowed(self, card: ToolCall, action: ToolAction) -> bool:
        """Return whether the user allowed this very call when the agent asked.

        A policy's answer doesn't count: it was based on the agent's own description.
        """
        asked = card.permission
        if asked is None or asked.state != "allowed":
            return False
        granted = self._session.turns.permissions.allowed_by_user.get(asked.request_id)
        return granted is not None and holds_arguments(granted, action.arguments)

    def refuse_forbidden(self) -> None:
        """Raise an error if the policy forbids all changes now, or no turn runs."""
        self._refuse_forbidden(self._session.turns.permissions.forbidden())

    def _refuse_forbidden(self, words: str) -> None:
        if words and self.own_id:
            raise ToolRefused(f"{words} Ask the user to choose another policy for this session.")
        if words:
            raise ToolRefused(words)
        if self._session.state.active_turn_id is None:
            raise ToolRefused("No turn is running, so nothing may be changed or run.")

    def write(self, packet: Obj) -> None:
        """Write a packet into the session."""
        self._session.journal.note(ImportedPacket(packet=packet))


def new_id() -> str:
    """Return an id for a card of the host's."""
    return f"notebook-{secrets.token_hex(6)}"


def _tool_call(action: ToolAction) -> Obj:
    content: list[JsonValue] = []
    if action.diff is not None:
        old, new = action.diff
        content.append({"type": "diff", "path": action.location, "oldText": old, "newText": new})
    if action.code:
        content.append(text_content(action.code))
    return {
        "title": action.title,
        "kind": action.kind,
        "status": "pending",
        "rawInput": action.arguments,
        "locations": [{"path": action.location}],
        "content": content,
    }


def _refusal(option: str | None) -> str:
    if option is None:
        return "The question was not answered, because the turn was stopped. Nothing was done."
    return "This was rejected. Nothing was done; do something else, or ask the user."


_MAX_ITEMS = 100
_WAIT_SECONDS = 0.5
"""Longest wait for the agent's card: call and card come on different connections."""
_RESULT_CHARS = 8_000
_ARGUMENT_KEYS = ("arguments", "args", "input", "params", "parameters")
_NAME_KEYS = ("tool", "name", "tool_name", "toolName")


def holds_arguments(call: ToolCall, arguments: Obj) -> bool:
    """Return whether a tool call's card shows exactly these arguments."""
    shown = obj(call.raw_input)
    inner = [shown.get(key) for key in _ARGUMENT_KEYS]
    return arguments in (shown, *inner, _codex_approval(shown).get("tool_params"))


def find_card(journal: Journal, tool: str, arguments: Obj, taken: set[str]) -> ToolCall | None:
    """Return the newest open call with this tool name and arguments that is not taken.

    A call that shows a command doesn't count, as the command is not the tool's action.
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
    """Find the agent's card; wait up to `_WAIT_SECONDS` for it."""
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
        """Note that events have come."""
        self.news.set()


def _open_calls(journal: Journal) -> Iterator[ToolCall]:
    state = journal.transcript
    turn_id = state.session.active_turn_id
    last = len(state.items)
    for index in range(last - 1, max(-1, last - 1 - _MAX_ITEMS), -1):
        item = state.items[index]
        if not isinstance(item, ToolCall) or item.turn_id != turn_id:
            continue
        if item.status in {"pending", "in_progress"}:
            yield item


def _codex_approval(shown: Obj) -> Obj:
    """Return the MCP tool call in an approval request of Codex."""
    about = obj(obj(shown.get("request")).get("_meta"))
    return about if about.get("codex_approval_kind") == "mcp_tool_call" else {}


def names_tool(call: ToolCall, tool: str) -> bool:
    """Return whether a call names a tool; agents may put the server's name before it.

    E.g. ``notebook_run_code``, ``notebook/run_code`` or ``mcp__notebook__run_code``.
    """
    source = obj(call.raw_input)
    spelled = [call.tool_name, call.title, *(text(source.get(key)) for key in _NAME_KEYS)]
    asked = _codex_approval(source)
    if asked and source.get("server_name") == SERVER_NAME:
        return f'"{tool}"' in text(obj(source.get("request")).get("message"))
    pattern = re.compile(rf"(?:^|notebook[^a-z]{{1,4}}){re.escape(tool)}(?:$|[^a-z_])")
    return any(pattern.search(words.strip().lower()) for words in spelled if words)


_SECONDS = 1.0
"""Shortest interval of updates of printed output; it grows with the running time."""
_SHARE = 0.05
"""Interval as a share of the running time: each update is kept in the session's log."""


class CallCard:
    """Shows the progress of a tool call on its card. Used on the host's loop only.

    Parameters
    ----------
    call_id
        Id of the tool call; empty if there is no card.
    """

    def __init__(self, write: Callable[[Obj], None], call_id: str, *, own: bool) -> None:
        self._write = write
        self._call_id = call_id
        self._own = own
        self._begun_at = 0.0
        self._shown = ""
        self._printed = ""
        self._next: asyncio.TimerHandle | None = None
        self._is_done = False

    def begun(self, call: Obj | None = None) -> Self:
        """Show the call as running; ``call`` describes it if no card has done so."""
        self._begun_at = asyncio.get_running_loop().time()
        self._update(status="in_progress", **(call or {}))
        return self

    def print(self, tail: str) -> None:
        """Show the end of the printed output at the next update."""
        self._printed = tail
        if self._next is None and not self._is_done:
            loop = asyncio.get_running_loop()
            passed = loop.time() - self._begun_at
            self._next = loop.call_later(max(_SECONDS, passed * _SHARE), self._show)

    def done(self, *, failed: bool, text: str = "") -> None:
        """Show the result."""
        self._is_done = True
        if self._next is not None:
            self._next.cancel()
        if not self._own:
            return
        status = "failed" if failed else "completed"
        if text:
            self._update(status=status, content=[text_content(shorten_middle(text, _RESULT_CHARS))])
        else:
            self._update(status=status)

    def _show(self) -> None:
        self._next = None
        if self._printed != self._shown:
            self._shown = self._printed
            self._update(content=[text_content(self._printed)])

    def _update(self, **fields: JsonValue) -> None:
        if self._call_id:
            self._write({"type": "tool_call_update", "toolCallId": self._call_id, **fields})
