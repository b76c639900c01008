"""The permission for what an agent does by the notebook tools: asked once, never assumed."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from acp_jupyter.host.host_requests import ALLOW, ask_for_host
from acp_jupyter.host.session import Session
from acp_jupyter.notebook.agent_cards import holds_arguments, wait_for_card
from acp_jupyter.notebook.call_card import CallCard, text_content
from acp_jupyter.packets.json_fields import Obj
from acp_jupyter.packets.notes import ImportedPacket
from acp_jupyter.transcript.items import ToolCall

__all__ = ["Gate", "Refused", "Wish"]


class Refused(Exception):
    """It may not be done; the message says why, for the agent."""


@dataclass(frozen=True, slots=True)
class Wish:
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


class Gate:
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

    async def request(self, action: Wish) -> CallCard:
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
        call: Obj = {"toolCallId": call_id, **_call(action)}
        try:
            option = await ask_for_host(
                journal, asking, request_id, call, words=action.words, reason=action.reason
            )
        except asyncio.CancelledError:
            told.done(failed=True)  # the agent has given the call up, and may go on
            raise
        shown = asking.granted.get(request_id)
        if option != ALLOW:
            told.done(failed=True)
            raise Refused(_refusal(option))
        self._refuse_forbidden(asking.forbidden())
        if shown is not None and not holds_arguments(shown, action.arguments):
            told.done(failed=True)
            raise Refused("What was shown to the user is not what this call does. Try again.")
        return told.begun()

    def goes_on(self, turn_id: str) -> bool:
        """Tell whether a turn is still running. May be called in any thread."""
        return self._session.state.active_turn_id == turn_id

    def _was_allowed(self, card: ToolCall, wish: Wish) -> bool:
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
            raise Refused(words)
        if self._session.state.active_turn_id is None:
            raise Refused("No turn is running, so nothing may be changed or run.")

    def _write(self, packet: Obj) -> None:
        self._session.journal.note(ImportedPacket(packet=packet))


def _new_id() -> str:
    return f"notebook-{secrets.token_hex(6)}"


def _call(action: Wish) -> Obj:
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
