"""``python -m acp_jupyter.agents.claude_cli``."""

from __future__ import annotations

import asyncio
import sys

from acp_jupyter.agents.claude_cli.agent import ClaudeCliAgent


async def _main() -> None:
    await ClaudeCliAgent().serve()


def main() -> int:
    """Serve ACP on stdio until stdin ends or SIGTERM comes."""
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
