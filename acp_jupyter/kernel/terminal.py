"""A turn as text that appears while it runs, for IPython in a terminal."""

from __future__ import annotations

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.transcript.model.items import AgentMessage, ErrorItem, Item, TurnEnd
from acp_jupyter.transcript.model.tool_items import ToolCall
from acp_jupyter.transcript.output.outcomes import duration_words
from acp_jupyter.transcript.safe_text.escaping import one_line, without_ansi

__all__ = ["TerminalScreen"]


class TerminalScreen:
    """Prints what has been added to a turn since the last look."""

    def __init__(self) -> None:
        self._printed: dict[str, int] = {}
        """Characters of each message, and 1 for each other item that was told."""
        self._fresh_line = True

    def show(self, detail: TurnDetail) -> None:
        """Print what is new."""
        for item in detail.items:
            if isinstance(item, AgentMessage):
                if not item.parent_id:  # else it is for the agent to read
                    self._text(item.id, item.text)
            elif item.id not in self._printed:
                self._line(item.id, _words(item))

    def _text(self, item_id: str, text: str) -> None:
        known = self._printed.get(item_id, 0)
        if len(text) > known:
            self._printed[item_id] = len(text)
            self._write(without_ansi(text[known:]))

    def _line(self, item_id: str, words: str) -> None:
        if words:
            self._printed[item_id] = 1
            self._write(("" if self._fresh_line else "\n") + words + "\n")

    def _write(self, text: str) -> None:
        print(text, end="", flush=True)  # noqa: T201 - for the terminal
        self._fresh_line = text.endswith("\n")


def _words(item: Item) -> str:
    match item:
        case ToolCall(status="completed" | "failed" | "cancelled"):
            outcome = "" if item.permission is None else item.permission.outcome
            words = (item.title, item.description, outcome or item.status)
            line = one_line("• " + " · ".join(dict.fromkeys(filter(None, words))))
            return f"  {line}" if item.parent_id else line
        case ErrorItem():
            return f"Error: {one_line(item.message)}"
        case TurnEnd():
            end = "" if item.stop_reason == "error" else one_line(item.words)
            return " · ".join(filter(None, (duration_words(item.duration_seconds), end)))
        case _:
            return ""
