"""Whether a prompt is the one that was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_jupyter.agents.replay.localise import Localiser
from acp_jupyter.agents.replay.steps import Part

__all__ = ["is_recorded_prompt", "mismatch"]

_LINES = 3
_CHARS = 200


def is_recorded_prompt(part: Part, prompt: Any, localiser: Localiser) -> bool:
    """Compare the text blocks; attachments, and space at the ends, do not count.

    A saved notebook may well name the folder as it was recorded.
    """
    recorded = localiser.value(part.params.get("prompt"))
    return _texts(recorded) == _texts(localiser.value(prompt))


def mismatch(part: Part, prompt: Any, localiser: Localiser) -> str:
    """Say how a prompt differs from the recorded one, and what to do."""
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
