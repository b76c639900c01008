from __future__ import annotations

from typing import Any

import pytest

from acp_jupyter.errors import BadRequest
from acp_jupyter.host.config import acp_servers


def test_servers_are_written_as_the_protocol_has_them() -> None:
    configured = {
        "papers": {"command": "papers-mcp", "env": {"A": "b"}, "disabled": False},
        "wiki": {"type": "http", "url": "https://wiki.example", "headers": {"X": "y"}},
    }
    assert acp_servers(configured) == [
        {
            "name": "papers",
            "command": "papers-mcp",
            "args": [],
            "env": [{"name": "A", "value": "b"}],
        },
        {
            "type": "http",
            "name": "wiki",
            "url": "https://wiki.example",
            "headers": [{"name": "X", "value": "y"}],
        },
    ]


@pytest.mark.parametrize("entry", [None, {}, {"command": ""}, {"type": "http", "url": "file:///x"}])
def test_nonsense_is_refused_with_its_name(entry: Any) -> None:
    with pytest.raises(BadRequest, match="'odd'"):
        acp_servers({"odd": entry})
