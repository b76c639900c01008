"""A question of the agent and its answer, for readers without our views."""

from __future__ import annotations

from acp_jupyter.transcript.elicitation_items import Elicitation
from acp_jupyter.transcript.markdown import inert, quote

__all__ = ["elicitation_markdown"]

_MESSAGE_CHARS = 4_000
_ANSWER_CHARS = 1_000


def elicitation_markdown(item: Elicitation) -> str:
    """Return what was asked, what was answered, and what became of it."""
    lines = [f"**{inert(item.title)}**"]
    lines += [inert(words, _MESSAGE_CHARS) for words in (item.heading, item.message) if words]
    if item.url:
        lines.append(f"Page: {inert(item.url, _MESSAGE_CHARS)}")
    lines += [
        f"{inert(answer.label)}: **{inert(answer.text, _ANSWER_CHARS)}**" for answer in item.answers
    ]
    if item.state != "accepted" or not item.answers:
        lines.append(f"*{inert(item.outcome or 'Waiting for an answer')}*")
    return quote("\n\n".join(lines))
