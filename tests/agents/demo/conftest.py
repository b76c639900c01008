from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.agents.demo_agent import COMMAND
from tests.support.agents.peer import Peer


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer(COMMAND, env={"ACP_DEMO_RATE": "0"}) as peer:
        yield peer
