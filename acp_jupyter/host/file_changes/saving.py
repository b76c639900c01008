"""What is open and not saved is saved before a prompt, and its user is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from acp_jupyter.host.documents import Saved
from acp_jupyter.protocol.host_events.notes import HostNotice

__all__ = ["save_documents"]

_MOST_NAMED = 5


async def save_documents(
    save: Callable[[], Awaitable[Saved]], documents: str, seconds: float
) -> tuple[HostNotice, ...]:
    """Save open documents; return what is to be told of it.

    Parameters
    ----------
    save
        Saves them.
    documents
        Path of the notebook that the prompt comes from. It is saved too: that goes without saying.
    seconds
        For all of them.
    """
    try:
        saved = await asyncio.wait_for(save(), seconds)
    except TimeoutError:
        words = "Not every open document could be saved before this prompt: a page did not answer."
        return (HostNotice(severity="warning", text=words),)
    return tuple(_notices(saved, documents))


def _notices(saved: Saved, asking: str) -> Iterator[HostNotice]:
    if saved.failed:
        words = f"Could not be saved before this prompt: {_listed(saved.failed)}."
        yield HostNotice(
            severity="warning", text=f"{words} The agent may read there what was saved last."
        )
    if done := tuple(path for path in saved.done if path != asking):
        yield HostNotice(text=f"Saved before this prompt: {_listed(done)}.")


def _listed(paths: tuple[str, ...]) -> str:
    names = ", ".join(path.rpartition("/")[2] for path in paths[:_MOST_NAMED])
    more = len(paths) - _MOST_NAMED
    return names if more <= 0 else f"{names} and {more} more"
