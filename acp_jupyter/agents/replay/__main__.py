"""``python -m acp_jupyter.agents.replay``."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from pathlib import Path

from acp_jupyter.agents.replay.agent import Options, ReplayAgent


def _speed(text: str) -> float | None:
    if text == "flat":
        return None
    speed = float(text)
    if not 0 < speed < math.inf:
        raise ValueError(text)
    return speed


def _options() -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m acp_jupyter.agents.replay",
        description="An ACP agent that plays the agent's side of a recorded log.",
    )
    parser.add_argument("log", type=Path, help="a log of ACP traffic, of any form")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, help="times as fast as recorded, or flat (default: 1)"
    )
    parser.add_argument(
        "--apply-files",
        action="store_true",
        help="make the recorded changes of files again, in the session's folder",
    )
    parser.add_argument(
        "--run-commands",
        action="store_true",
        help="ask the client to run the recorded commands again; else their output is only shown",
    )
    parser.add_argument("--sha256", default="", help="play the log only if this is its digest")
    given = parser.parse_args()
    return Options(
        given.log, given.speed, given.apply_files, given.run_commands, given.sha256.lower()
    )


async def _serve(options: Options) -> None:
    await ReplayAgent(options).serve()


def main() -> int:
    """Serve ACP on stdio until stdin ends."""
    try:
        asyncio.run(_serve(_options()))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
