"""Ways by which something could go out: rows of `tests.server.test_ways_out`."""

from __future__ import annotations

from tests.support.server.ways_out import NOTEBOOK, Scene, Way


def _share(scene: Scene) -> str:
    """Share the session of a turn that was near to what stays."""
    scene.cell("%%acp takes --var sales --var hidden")
    session_id = scene.user.session_of(NOTEBOOK, "takes")
    scene.more.append(scene.user.text(f"sessions/{session_id}/transcript?format=shared"))
    return "</html>"


WAYS: dict[str, Way] = {"share": _share}
