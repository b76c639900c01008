"""How long a turn of an agent outside lasts, and what is taken from its introduction."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.features.outside.agents import OutsideTurn, client_name
from tests.support.virtual_loop import in_virtual_time

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["params", "clientInfo", "name", "_meta", "io.modelcontextprotocol/clientInfo"]
            ),
            inner,
        )
    ),
    max_leaves=8,
)


@in_virtual_time
async def test_a_turn_lasts_while_calls_are_open_and_a_while_after_the_last() -> None:
    loop, turn = asyncio.get_running_loop(), OutsideTurn(20)
    running = asyncio.ensure_future(turn.run())
    await turn.begun.wait()
    with turn.calling():
        await asyncio.sleep(300)
        assert not running.done()
    await running
    assert turn.over
    assert loop.time() == 320


@in_virtual_time
async def test_a_turn_ends_with_its_client_and_with_whoever_stops_it() -> None:
    loop, left, stopped = asyncio.get_running_loop(), OutsideTurn(20), OutsideTurn(20)
    running = [asyncio.ensure_future(turn.run()) for turn in (left, stopped)]
    await stopped.begun.wait()
    left.end()
    running[1].cancel()
    await asyncio.wait(running)
    assert left.over
    assert stopped.over
    assert loop.time() == 0


def test_a_client_is_called_as_it_calls_itself_in_either_version_of_mcp() -> None:
    info = {"name": "codex-mcp-client", "version": "1"}
    older: dict[str, Any] = {"params": {"clientInfo": info}}
    newer = {"params": {"_meta": {"io.modelcontextprotocol/clientInfo": info}}}
    titled = {"params": {"clientInfo": {**info, "title": "Codex"}}}
    assert [client_name(json.dumps(each).encode()) for each in (older, newer, titled)] == [
        "codex-mcp-client",
        "codex-mcp-client",
        "Codex",
    ]


@given(_JSON.map(json.dumps) | st.text())
def test_whatever_a_client_sends_its_name_is_short_and_plain(sent: str) -> None:
    name = client_name(sent.encode("utf-8", "replace"))
    assert len(name) <= 40
    assert name.isprintable()
    assert not set(name) & set("<>&\"'/\\")
