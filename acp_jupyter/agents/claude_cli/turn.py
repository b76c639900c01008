"""One prompt turn, from the client's request to its answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import assert_never

from acp_jupyter.agents.rpc import INTERNAL_ERROR, Peer, RpcError
from acp_jupyter.dialects.claude_stream.results import (
    TurnEnd,
    TurnError,
    is_logged_out,
    login_error,
)
from acp_jupyter.protocol.objects import Obj, number, text

__all__ = ["Turn", "death"]


@dataclass(slots=True)
class Turn:
    """What is known of a turn; answered once."""

    request_id: object
    is_sent: bool = False
    is_cancelled: bool = False
    outcome: TurnEnd | TurnError | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def answer(self, peer: Peer) -> None:
        """Answer the prompt. A turn that was stopped is cancelled, whatever the CLI calls it."""
        self.ended.set()
        if self.is_cancelled:
            kept = self.outcome.response if isinstance(self.outcome, TurnEnd) else {}
            peer.answer(self.request_id, {**kept, "stopReason": "cancelled"})
            return
        match self.outcome:
            case TurnEnd(response):
                peer.answer(self.request_id, {**response})
            case TurnError(error):
                peer.fail(self.request_id, _rpc_error(error))
            case None:
                words = "The Claude CLI gave no answer."
                peer.fail(self.request_id, RpcError(INTERNAL_ERROR, words))
            case _:
                assert_never(self.outcome)


def _rpc_error(error: Obj) -> RpcError:
    code = number(error.get("code"))
    message = text(error.get("message"))
    return RpcError(INTERNAL_ERROR if code is None else code, message, error.get("data"))


def death(end_reason: str, last_words: str) -> TurnError:
    """Return how a turn ends whose process is gone."""
    if is_logged_out(last_words):
        return TurnError(login_error(last_words), needs_login=True)
    message = f"The Claude CLI {end_reason} during the turn. Your next message starts it again."
    error: Obj = {"code": INTERNAL_ERROR, "message": message}
    return TurnError({**error, "data": {"details": last_words}} if last_words else error)
