"""A live session: maps its requests to parts of the recording, and checks each prompt."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from acp_jupyter.agents.replay.player import DivergedError, Player, TurnCancelledError
from acp_jupyter.agents.replay.recording import Localiser, Object, Part, RecordedSession, Recording
from acp_jupyter.agents.rpc import INTERNAL_ERROR, INVALID_PARAMS, Json, Peer, RpcError
from acp_jupyter.protocol.formatting import quantity


class LiveSession:
    """Replays a recorded session to the client that has opened it."""

    def __init__(
        self, peer: Peer, recording: Recording, recorded: RecordedSession, player: Player
    ) -> None:
        self.setup: Object = {}
        self._peer = peer
        self._recording = recording
        self._recorded = recorded
        self._player = player
        self._next = 0
        self._failed: Part | None = None
        self._lock = asyncio.Lock()
        self._stops = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, part: Part, request_id: object) -> None:
        """Replay the opening of the session."""
        result = part.reply.message.get("result") if part.reply else None
        self.setup = result if isinstance(result, dict) else {}
        parts = self._recorded.parts
        self._next = parts.index(part) + 1 if part in parts else 0
        self._start(part, request_id)

    def prompt(self, request_id: object, params: Json) -> None:
        """Replay the turn of a prompt."""
        prompt = params.get("prompt")
        parts = self._recorded.parts
        following = (n for n in range(self._next, len(parts)) if parts[n].kind == "prompt")
        at = next(following, None)
        localiser = self._player.localiser
        if at is not None and is_recorded_prompt(parts[at], prompt, localiser):
            between, self._next = parts[self._next : at], at + 1
            self._start(parts[at], request_id, between)
        elif self._failed is not None and is_recorded_prompt(self._failed, prompt, localiser):
            self._start(self._failed, request_id)
        elif at is not None:
            raise RpcError(INVALID_PARAMS, mismatch(parts[at], prompt, localiser))
        else:
            raise RpcError(INVALID_PARAMS, self._no_more())

    def other(self, request_id: object, method: str) -> bool:
        """Replay what was recorded for another request; return whether there was anything."""
        coming = itertools.takewhile(
            lambda part: part.kind != "prompt", self._recorded.parts[self._next :]
        )
        for at, part in enumerate(coming, self._next):
            if part.method == method and part.reply is not None and part.kind == "other":
                between, self._next = self._recorded.parts[self._next : at], at + 1
                self._start(part, request_id, between)
                return True
        return False

    def cancel(self) -> None:
        """Stop the running turn, and those that wait behind it."""
        self._stops += 1
        self._player.cancel()

    def close(self) -> Sequence[asyncio.Task[None]]:
        """Stop everything at once; return the tasks to wait for."""
        for task in self._tasks:
            task.cancel()
        return tuple(self._tasks)

    def _start(self, part: Part, request_id: object, between: Sequence[Part] = ()) -> None:
        self._player.wait_for()
        task = asyncio.get_running_loop().create_task(self._perform(part, request_id, between))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _perform(self, part: Part, request_id: object, between: Sequence[Part]) -> None:
        stops = self._stops
        async with self._lock:
            for missed in between:
                if missed.kind == "other":
                    await self._player.flush(missed)
            if part.kind == "prompt" and stops != self._stops:
                self._player.skip()
                self._peer.answer(request_id, {"stopReason": "cancelled"})
                return
            try:
                await self._player.play(part, request_id)
            except TurnCancelledError:
                self._failed = part
                self._peer.answer(request_id, {"stopReason": "cancelled"})
            except DivergedError as error:
                self._failed = part
                self._peer.fail(
                    request_id, RpcError(INTERNAL_ERROR, self._with_trouble(str(error)))
                )
            except Exception as error:  # noqa: BLE001 - the client must get an answer
                words = (
                    f"The recording can't be played: {getattr(error, 'strerror', None) or error}."
                )
                self._peer.fail(request_id, RpcError(INTERNAL_ERROR, self._with_trouble(words)))

    def _with_trouble(self, words: str) -> str:
        trouble = self._recording.trouble
        return f"{words} A part of the recording could not be read: {trouble}" if trouble else words

    def _no_more(self) -> str:
        count = self._recorded.prompts
        if not count:
            return self._with_trouble(
                f"{self._recording.path} holds no prompt, so nothing can be played."
            )
        return (
            f"The recording holds {quantity(count, 'prompt')}, and no more. "
            "Record the session again with the new prompt, or open a new session to play it again."
        )


_LINES = 3
_CHARS = 200


def is_recorded_prompt(part: Part, prompt: Any, localiser: Localiser) -> bool:
    """Return whether the text blocks are equal; attachments and trailing space do not count.

    A saved notebook may name the folder as it was recorded.
    """
    recorded = localiser.value(part.params.get("prompt"))
    return _texts(recorded) == _texts(localiser.value(prompt))


def mismatch(part: Part, prompt: Any, localiser: Localiser) -> str:
    """Return how a prompt differs from the recorded one, and what to do."""
    recorded = _texts(localiser.value(part.params.get("prompt")))
    return (
        f"This prompt is not the one that was recorded. Recorded: {_first_lines(recorded)} "
        f"Now: {_first_lines(_texts(prompt))} "
        "Send the recorded prompts in their order, or record the session again."
    )


def _texts(prompt: Any) -> list[str]:
    blocks = prompt if isinstance(prompt, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, Mapping)]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]


def _first_lines(texts: list[str]) -> str:
    lines = "\n".join(texts).splitlines()
    shown = "\n".join(lines[:_LINES])
    cut = len(lines) > _LINES or len(shown) > _CHARS
    return f"“{shown[:_CHARS]}{' …' if cut else ''}”."
