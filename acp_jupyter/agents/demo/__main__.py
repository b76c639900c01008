"""``python -m acp_jupyter.agents.demo``."""

from __future__ import annotations

import asyncio
import sys

from acp_jupyter.agents.demo.agent import DemoAgent


async def _main() -> None:
    await DemoAgent().serve()


def main() -> int:
    """Serve ACP on stdio until stdin ends."""
    if sys.stdin.isatty():
        sys.stderr.write(
            "This is an ACP agent: it waits for JSON-RPC lines on standard input. Ctrl-D ends it.\n"
        )
    try:
        asyncio.run(_main())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
