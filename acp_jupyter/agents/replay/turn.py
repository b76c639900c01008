"""Where in a part the player is."""

from __future__ import annotations

from acp_jupyter.agents.replay.steps import Cancelled, Part, Send, Step

__all__ = ["PlayedTurn"]


class PlayedTurn:
    """Where in a part the player is."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.is_answered = False
        self.is_past_cancel = False
        self._index = 0
        self._left_out: set[str] = set()

    def next(self) -> Step | None:
        """Return the next step, None at the end."""
        if self._index >= len(self.part.steps):
            return None
        step = self.part.steps[self._index]
        self._index += 1
        return step

    def skip_to_cancel(self) -> bool:
        """Go on where the recorded client had cancelled; tell whether it had, later than here."""
        rest = range(self._index - 1, len(self.part.steps))
        found = next((n for n in rest if isinstance(self.part.steps[n], Cancelled)), None)
        if found is None:
            return False
        skipped = self.part.steps[self._index - 1 : found]
        updates = [step.update for step in skipped if isinstance(step, Send)]
        begun = [update for update in updates if update.get("sessionUpdate") == "tool_call"]
        self._left_out |= {str(update.get("toolCallId")) for update in begun}
        self._index = found + 1
        self.is_past_cancel = True
        return True

    def is_left_out(self, step: Send) -> bool:
        """Tell whether an update is of a tool call that was skipped."""
        return bool(self._left_out) and str(step.update.get("toolCallId")) in self._left_out
