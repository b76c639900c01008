"""Ways by which something could go out: rows of `tests.server.test_ways_out`."""

from __future__ import annotations

from tests.features.outside.support.mcp_client import Outside
from tests.support.server.ways_out import NOTEBOOK, TOOL_CALLS, Scene, Way


def _mcp(scene: Scene) -> str:
    body = {"notebook_path": NOTEBOOK, "policy": "read-only"}
    key = scene.user.post("outside-keys", body).raise_for_status().json()
    scene.fail()
    with Outside(scene.server.url, key["key"], "reader") as agent:
        scene.more += [agent.call(tool, **arguments) for tool, arguments in TOOL_CALLS]
    scene.user.delete(f"outside-keys/{key['entry']['key_id']}")
    return "left out by the user"


WAYS: dict[str, Way] = {"mcp": _mcp}
