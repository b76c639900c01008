"""Ways by which something could go out: rows of `tests.server.test_ways_out`."""

from __future__ import annotations

import json

from tests.support.server.ways_out import FRAME, TOOL_CALLS, Scene, Way


def _try(scene: Scene) -> str:
    scene.fail()
    calls = json.dumps([{"tool": tool, "args": args} for tool, args in TOOL_CALLS])
    agents = "notebook_user, notebook_user"
    scene.cell(f"%%acp {agents} --try --restore rerun --policy allow-all", calls)
    return FRAME


LONG_WAYS: dict[str, Way] = {"--try": _try}
