"""The permission for a call of a notebook tool, and the card on which its user sees it.

It is asked once and never assumed: on the agent's own card of that call where there is one, else on
a card of ours. An agent tells of a call by another way than it makes it, so either may be first;
the agent's card is waited for, for half a second.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import JsonValue

from acp_jupyter.host.requests.host_requests import ALLOW, request_for_host
from acp_jupyter.host.session.session import Session
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.notebook_tools.outputs import bounded
from acp_jupyter.notebook_tools.tools import SERVER_NAME
from acp_jupyter.protocol.host_events.notes import ImportedPacket
from acp_jupyter.protocol.objects import Obj, obj, text
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.tool_items import ToolCall


class ToolRefused(Exception):
    """It may not be done; the message says why, for the agent."""


@dataclass(frozen=True, slots=True)
class ToolAction:
    """What an agent wants to do."""

    tool: str
    arguments: Obj
    """As the agent sent them; the user is shown them too."""
    kind: Literal["edit", "execute"]
    words: str
    """What the user reads: ``run code in the notebook's kernel``."""
    title: str
    location: str
    """The notebook's absolute path: what policies and rules look at."""
    reason: str = ""
    """What else the user should know."""
    code: str = ""
    """What will run, where the arguments do not say it."""
    diff: tuple[str, str] | None = None
    """A source before and after."""


class ToolPermissions:
    """Lets a session's calls pass as its user, policy and rules say.

    Parameters
    ----------
    session
        Whose agent it is.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._taken: set[str] = set()
        """Items whose permission was used: each is good for one call."""

    async def request(self, action: ToolAction) -> CallCard:
        """Return, once it is allowed, the card on which is told what comes of it.

        Raises
        ------
        Refused
            By the user, a policy or a rule, or because nobody can be asked.
        """
        asking = self._session.turns.permissions
        self._refuse_forbidden(asking.forbidden())
        journal = self._session.journal
        card = await wait_for_card(journal, action.tool, action.arguments, self._taken)
        if card is not None:
            self._taken.add(card.id)
            if self._was_allowed(card, action):
                return CallCard(self._write, card.tool_call_id, own=False).begun()
        # Another card, where that of the agent was asked about and says something else.
        joined = card is not None and card.permission is None
        call_id = card.tool_call_id if card is not None and joined else _new_id()
        told = CallCard(self._write, call_id, own=not joined)
        request_id = f"t{secrets.token_hex(8)}"
        call: Obj = {"toolCallId": call_id, **_tool_call(action)}
        try:
            option = await request_for_host(
                journal, asking, request_id, call, words=action.words, reason=action.reason
            )
        except asyncio.CancelledError:
            told.done(failed=True)  # the agent has given the call up, and may go on
            raise
        shown = asking.granted.get(request_id)
        if option != ALLOW:
            told.done(failed=True)
            raise ToolRefused(_refusal(option))
        self._refuse_forbidden(asking.forbidden())
        if shown is not None and not holds_arguments(shown, action.arguments):
            told.done(failed=True)
            raise ToolRefused("What was shown to the user is not what this call does. Try again.")
        return told.begun()

    def goes_on(self, turn_id: str) -> bool:
        """Tell whether a turn is still running. May be called in any thread."""
        return self._session.state.active_turn_id == turn_id

    def _was_allowed(self, card: ToolCall, wish: ToolAction) -> bool:
        """Tell whether the user allowed this very call when the agent asked.

        What a policy allowed was of the agent's own telling: it is looked at again.
        """
        asked = card.permission
        if asked is None or asked.state != "allowed":
            return False
        granted = self._session.turns.permissions.granted.get(asked.request_id)
        return granted is not None and holds_arguments(granted, wish.arguments)

    def _refuse_forbidden(self, words: str) -> None:
        if words:
            raise ToolRefused(words)
        if self._session.state.active_turn_id is None:
            raise ToolRefused("No turn is running, so nothing may be changed or run.")

    def _write(self, packet: Obj) -> None:
        self._session.journal.note(ImportedPacket(packet=packet))


def _new_id() -> str:
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


_MOST_ITEMS = 100
_WAIT_SECONDS = 0.5
"""An agent tells of a call by another way than it makes it: either may be first."""
_ARGUMENT_KEYS = ("arguments", "args", "input", "params", "parameters")
_NAME_KEYS = ("tool", "name", "tool_name", "toolName")


def holds_arguments(call: ToolCall, arguments: Obj) -> bool:
    """Tell whether a tool call shows exactly these arguments."""
    shown = obj(call.raw_input)
    inner = [shown.get(key) for key in _ARGUMENT_KEYS]
    return arguments in (shown, *inner, _codex_approval(shown).get("tool_params"))


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


def _codex_approval(shown: Obj) -> Obj:
    """Return what Codex says of a tool of an MCP server when it asks whether to call it."""
    about = obj(obj(shown.get("request")).get("_meta"))
    return about if about.get("codex_approval_kind") == "mcp_tool_call" else {}


def names_tool(call: ToolCall, tool: str) -> bool:
    """Agents write the server's name before a tool's: ``notebook_run_code``, ``notebook/run_code``.

    ``mcp__notebook__run_code`` is another way.
    """
    source = obj(call.raw_input)
    spelled = [call.tool_name, call.title, *(text(source.get(key)) for key in _NAME_KEYS)]
    asked = _codex_approval(source)
    if asked and source.get("server_name") == SERVER_NAME:
        return f'"{tool}"' in text(obj(source.get("request")).get("message"))
    pattern = re.compile(rf"(?:^|notebook[^a-z]{{1,4}}){re.escape(tool)}(?:$|[^a-z_])")
    return any(pattern.search(words.strip().lower()) for words in spelled if words)


_SECONDS = 1.0
"""Between two looks at what code prints; longer the longer it runs."""
_SHARE = 0.05
"""Of the time that has passed: each is kept in the session's record."""


class CallCard:
    """Tells on a tool call's card how far it is. Used on the host's loop.

    Parameters
    ----------
    write
        Writes a packet into the session.
    call_id
        Of the tool call; empty where there is no card.
    own
        Whether the card is ours. On one of the agent's, the agent says what came of the call.
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

    def begun(self) -> Self:
        """Say that it is done now."""
        self._begun_at = asyncio.get_running_loop().time()
        self._update(status="in_progress")
        return self

    def print(self, tail: str) -> None:
        """Show the end of what its code has printed, soon."""
        self._printed = tail
        if self._next is None and not self._is_done:
            loop = asyncio.get_running_loop()
            passed = loop.time() - self._begun_at
            self._next = loop.call_later(max(_SECONDS, passed * _SHARE), self._show)

    def done(self, *, failed: bool, text: str = "") -> None:
        """Tell what came of it."""
        self._is_done = True
        if self._next is not None:
            self._next.cancel()
        if not self._own:
            return
        status = "failed" if failed else "completed"
        if text:
            self._update(status=status, content=[text_content(bounded(text))])
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


def text_content(text: str) -> Obj:
    """Return text as a tool call's content."""
    return {"type": "content", "content": {"type": "text", "text": text}}
