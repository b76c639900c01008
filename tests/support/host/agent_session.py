"""One session with an agent that may do anything, as its user sees it."""

from __future__ import annotations

from typing import Any

from acp_jupyter.host.sessions.session import Session
from acp_jupyter.transcript.model.items import ErrorItem, Item, Notice
from acp_jupyter.transcript.model.session_state import TurnState
from acp_jupyter.transcript.model.tool_items import ToolCall
from tests.support.host.driver import Driver

__all__ = ["AgentSession"]


class AgentSession:
    """What was said and shown so far."""

    def __init__(self, driver: Driver, session: Session) -> None:
        self.driver = driver
        self.session = session

    def begin(self, text: str = "go", **more: Any) -> str:
        """Send a prompt; return the id of its turn."""
        return self.driver.prompt(self.session, text, **more)

    def end(self, turn_id: str) -> TurnState:
        """Wait for the end of a turn."""
        return self.driver.done(self.session, turn_id)

    def turn(self, text: str = "go", **more: Any) -> TurnState:
        """Send a prompt and wait for the end of its turn."""
        return self.end(self.begin(text, **more))

    def asked(self) -> ToolCall:
        """Wait for a permission request; return the call that it is about."""
        request_id = self.driver.asked(self.session)
        item_id = self.session.transcript.request_items[request_id]
        return next(call for call in self.calls.values() if call.id == item_id)

    def answer(self, call: ToolCall, option_id: str | None) -> None:
        assert call.permission is not None
        self.driver.answer(self.session, call.permission.request_id, option_id)

    def goes_on(self) -> None:
        """The next prompt is answered as if nothing had been."""
        before = len(self.items)
        turn = self.turn("again")
        assert (turn.stop_reason, turn.failure) == ("end_turn", None)
        texts = [item.text for item in self.items[before:] if item.kind == "agent_message"]
        assert "".join(texts) == "Still here."

    @property
    def items(self) -> list[Item]:
        transcript = self.session.transcript
        return list(transcript.window(0, len(transcript.items)))

    @property
    def calls(self) -> dict[str, ToolCall]:
        """Tool calls by their ids; one of each."""
        calls = [item for item in self.items if isinstance(item, ToolCall)]
        found = {call.tool_call_id: call for call in calls}
        assert len(found) == len(calls)
        return found

    @property
    def text(self) -> str:
        """What the agent said, in its messages."""
        return "".join(item.text for item in self.items if item.kind == "agent_message")

    @property
    def notices(self) -> list[Notice]:
        return [item for item in self.items if isinstance(item, Notice)]

    @property
    def errors(self) -> list[ErrorItem]:
        return [item for item in self.items if isinstance(item, ErrorItem)]
