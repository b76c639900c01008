"""Ways by which something could go out: rows of `tests.server.test_ways_out`."""

from __future__ import annotations

from tests.support.server.ways_out import Scene, Way


def _fix(scene: Scene) -> str:
    scene.fail()
    printed = scene.kernel.run("%acp fix takes", cell_id="cell-0").ok().printed
    assert not printed, printed
    return "[left out by the user]"


WAYS: dict[str, Way] = {"fix": _fix}
