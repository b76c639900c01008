"""`Conversation`: a scripted user talks to an agent.

Permissions, files and the transcript work as they do for users.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, JsonValue

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.testing.agent_session import AgentSession, open_requests
from acp_jupyter.transcript.model.items import AgentMessage
from acp_jupyter.transcript.model.tool_items import Permission

_LONGEST_SECONDS = 60.0


class Conversation:
    """A conversation of a scripted user with an agent, as a context manager.

    Parameters
    ----------
    agent
        An ``acp.Agent``, as for `acp_jupyter.serve`.
    folder
        The session's folder; by default a new one, which is removed at the end.

    Attributes
    ----------
    folder
        The session's folder.

    Examples
    --------
    >>> with Conversation(Librarian()) as person:
    ...     turn = person.say("Write the list", answers=["reject"])
    ...     assert turn.text == "You said no."
    """

    def __init__(self, agent: Any, folder: str | Path | None = None) -> None:
        self._session = AgentSession(agent, folder)
        self.folder = self._session.folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the agent and the conversation."""
        self._session.close()

    def say(
        self,
        prompt: str | Sequence[dict[str, JsonValue] | BaseModel],
        *,
        answers: Sequence[str] = (),
        cancel_at: str = "",
        seconds: float = _LONGEST_SECONDS,
    ) -> Turn:
        """Send a prompt, answer the agent's requests as scripted, and return the finished turn.

        Parameters
        ----------
        prompt
            Text, or content blocks.
        answers
            Answers to the agent's permission requests, in order: the id, name or kind of an
            option, or the beginning of its kind, such as ``allow`` or ``reject``. The word
            ``cancel`` cancels the turn while the agent waits for the answer.
        cancel_at
            Cancel the turn as soon as the agent's answer contains this text.
        seconds
            Longest duration of the turn.

        Raises
        ------
        AssertionError
            The script has too few or too many answers, ``cancel_at`` did not occur, or the turn
            took too long.
        """
        left, answered = list(answers), set[str]()
        cancelled = False

        def act(turn_id: str, detail: TurnDetail) -> None:
            nonlocal cancelled
            for asked in open_requests(detail):
                if asked.request_id not in answered:
                    answered.add(asked.request_id)
                    self._answer(turn_id, asked, left)
            if cancel_at and not cancelled and cancel_at in _said(detail):
                cancelled = True
                self._session.cancel(turn_id)

        turn = self._session.prompt(prompt, act, seconds)
        if left:
            raise AssertionError(f"The agent did not ask for {len(left)} of the answers: {left}.")
        if cancel_at and not cancelled:
            raise AssertionError(f"The turn ended, and the agent had not said {cancel_at!r}.")
        return turn

    def transcript(self) -> str:
        """Return the conversation so far as Markdown."""
        return self._session.transcript()

    def _answer(self, turn_id: str, asked: Permission, left: list[str]) -> None:
        if not left:
            raise AssertionError(f"The script has no answer for this: {asked.title}")
        answer = left.pop(0)
        if answer == "cancel":
            self._session.cancel(turn_id)
        else:
            self._session.answer(asked, answer)


def _said(detail: TurnDetail) -> str:
    return "".join(item.text for item in detail.items if isinstance(item, AgentMessage))
