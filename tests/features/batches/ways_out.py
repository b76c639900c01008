"""Ways by which something could go out: rows of `tests.server.test_ways_out`."""

from __future__ import annotations

from tests.support.server.ways_out import Scene, Way, run_apart


def _batch(scene: Scene) -> str:
    lines = ('notebook = "n.ipynb"', 'agents = ["takes"]')
    run_apart(scene, "batch", "batch", "b.toml", "--trust", b="\n".join(lines))
    return "['[masked]']"


LONG_WAYS: dict[str, Way] = {"batch": _batch}
