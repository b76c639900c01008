"""The prompts of one session that wait for the running turn."""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from dataclasses import dataclass, field

from acp_jupyter.errors import BadRequest, NotQueued
from acp_jupyter.host.journal import Journal
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.own_policy import taken_over
from acp_jupyter.host.prompt_blocks import Blocks, content_blocks
from acp_jupyter.protocol.host_events.notes import (
    Origin,
    TurnEdited,
    TurnMoved,
    TurnQueued,
    TurnRemoved,
)
from acp_jupyter.protocol.host_events.permissions import Policy, Rule

__all__ = ["QueuedTurn", "TurnQueue"]


@dataclass(slots=True)
class QueuedTurn:
    """A prompt turn that waits, or runs."""

    turn_id: str
    blocks: Blocks
    can_ask: bool
    kernel_id: str = ""
    """The kernel that sent it; empty where a user did."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)


class TurnQueue:
    """Takes prompts, and hands them out one after the other.

    Parameters
    ----------
    journal
        Of the session.
    limits
        See `Limits`.
    """

    def __init__(self, journal: Journal, limits: Limits) -> None:
        self._journal = journal
        self._limits = limits
        self._turns: deque[QueuedTurn] = deque()
        self._more = asyncio.Event()

    def put(
        self,
        prompt: str | Blocks,
        *,
        policy: Policy,
        origin: Origin | None,
        can_ask: bool,
        first: bool = False,
        rules: tuple[Rule, ...] = (),
        user: str = "",
        kernel_id: str = "",
    ) -> str:
        """Add a prompt, at the end or as the ``first``; return its turn's id.

        Raises
        ------
        EmptyPrompt
            There is nothing to send.
        InvalidBlock
            A part of it is malformed or too large.
        BadRequest
            Too many prompts wait already.
        """
        blocks = content_blocks(prompt, self._limits)
        if len(self._turns) >= self._limits.queued_prompts:
            raise BadRequest(
                f"{self._limits.queued_prompts} prompts wait in this session already. "
                "Wait for some to end, or remove some."
            )
        turn = QueuedTurn(uuid.uuid4().hex, blocks, can_ask, kernel_id)
        self._turns.append(turn)
        self._journal.note(
            TurnQueued(
                turn_id=turn.turn_id,
                prompt=blocks,
                policy=policy,
                origin=origin,
                rules=rules,
                user=user,
            )
        )
        if first:
            self.to_front(turn.turn_id)
        self._more.set()
        return turn.turn_id

    def edit(self, turn_id: str, prompt: str | Blocks, user: str = "") -> None:
        """Put a user's prompt in the place of one that waits; new text keeps what is attached.

        In place of a kernel's it runs as a user's own: see `taken_over`.

        Raises
        ------
        NotQueued
            It does not wait any more.
        EmptyPrompt
            There is nothing left to send.
        InvalidBlock
            A part of it is malformed or too large.
        """
        turn = self._waiting(turn_id)
        if isinstance(prompt, str):
            attached = tuple(block for block in turn.blocks if block["type"] != "text")
            written: Blocks = ({"type": "text", "text": prompt},) if prompt.strip() else ()
            prompt = (*written, *attached)
        turn.blocks = content_blocks(prompt, self._limits)
        note = TurnEdited(turn_id=turn_id, prompt=turn.blocks)
        if turn.kernel_id:
            turn.kernel_id = ""
            transcript = self._journal.transcript
            policy, rules = taken_over(transcript.turns[turn_id], transcript.session)
            note = note.model_copy(update={"policy": policy, "rules": rules, "user": user})
        self._journal.note(note)

    def to_front(self, turn_id: str) -> None:
        """Let a prompt that waits be the next.

        Raises
        ------
        NotQueued
            It does not wait any more.
        """
        turn = self._waiting(turn_id)
        if self._turns[0] is not turn:
            self._turns.remove(turn)
            self._turns.appendleft(turn)
            self._journal.note(TurnMoved(turn_id=turn_id))

    def remove(self, turn_id: str | None) -> None:
        """Take a prompt back, if it waits."""
        for turn in tuple(self._turns):
            if turn.turn_id == turn_id:
                self._turns.remove(turn)
                self._journal.note(TurnRemoved(turn_id=turn.turn_id))

    def clear(self) -> None:
        """Take all prompts back."""
        for turn in tuple(self._turns):
            self.remove(turn.turn_id)

    async def next(self) -> QueuedTurn:
        """Wait for a prompt, and hand it out."""
        while not self._turns:
            self._more.clear()
            await self._more.wait()
        return self._turns.popleft()

    def _waiting(self, turn_id: str) -> QueuedTurn:
        for turn in self._turns:
            if turn.turn_id == turn_id:
                return turn
        raise NotQueued(
            "This message does not wait any more: it was sent or removed. Send a new one."
        )
