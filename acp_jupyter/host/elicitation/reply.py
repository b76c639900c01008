"""The answer to ``elicitation/create``, as the SDK writes it."""

from __future__ import annotations

from typing import assert_never

import acp
from acp.schema import (
    AcceptElicitationResponse,
    CancelElicitationResponse,
    CreateElicitationResponse,
    DeclineElicitationResponse,
)

from acp_jupyter.host.elicitation.session import Elicitations, QuestionRefused, QuestionWithdrawn

__all__ = ["answer_question"]

_INVALID_PARAMS = -32602
_CANCELLED = -32800


async def answer_question(elicitations: Elicitations, request_id: str) -> CreateElicitationResponse:
    """Wait for the user and return what the agent gets.

    Raises
    ------
    acp.RequestError
        The question can't be asked, or was taken back.
    """
    try:
        outcome = await elicitations.ask(request_id)
    except QuestionRefused as error:
        raise acp.RequestError(_INVALID_PARAMS, "Invalid params", {"details": str(error)}) from None
    except QuestionWithdrawn:
        raise acp.RequestError(_CANCELLED, "Request cancelled") from None
    match outcome.action:
        case "accept":
            # Explicitly: what is not set is not written.
            if outcome.content:
                return AcceptElicitationResponse.model_validate(
                    {"action": "accept", "content": outcome.content}
                )
            return AcceptElicitationResponse(action="accept")
        case "decline":
            return DeclineElicitationResponse(action="decline")
        case "cancel":
            return CancelElicitationResponse(action="cancel")
        case _:
            assert_never(outcome.action)
