"""What a turn ends in that needed an answer where nobody could be asked."""

from __future__ import annotations

from acp_jupyter.errors import NobodyToAsk

__all__ = ["REFUSED", "REFUSED_OF_RECORD", "UNANSWERED"]

REFUSED = NobodyToAsk(
    "Nobody could be asked, so this was refused.",
    "Run the cell where someone can answer, or give it a --policy that allows this, for example "
    "accept-edits.",
)
REFUSED_OF_RECORD = NobodyToAsk(
    REFUSED.message,
    f"{REFUSED.detail} What configures what runs later, for example conftest.py, is written from "
    "a record only after someone's answer.",
)
UNANSWERED = NobodyToAsk(
    "The agent asked a question, and nobody could be asked.",
    "Run the cell where someone can answer, or say in the prompt what the agent needs to know. "
    "No policy answers questions.",
)
