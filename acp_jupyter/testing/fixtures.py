"""The fixtures for pytest."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

from acp_jupyter.testing.conversation import Conversation


@pytest.fixture
def talk_to() -> Iterator[Callable[..., Conversation]]:
    """Return a function that opens conversations, which end with the test."""
    with contextlib.ExitStack() as opened:
        yield lambda agent, *args: opened.enter_context(Conversation(agent, *args))
