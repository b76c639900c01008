"""``python -m acp_jupyter.agents.remote URL [--header NAME=VARIABLE] [--folder HERE=THERE]``."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence

from acp_jupyter.agents.remote.address import Address, AddressError
from acp_jupyter.agents.remote.bridge import Bridge


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve ACP on stdio until stdin ends, or the agent can no longer be reached."""
    parser = argparse.ArgumentParser(prog="python -m acp_jupyter.agents.remote")
    parser.add_argument("url")
    parser.add_argument("--header", action="append", default=[], metavar="NAME=VARIABLE")
    parser.add_argument("--folder", action="append", default=[], metavar="HERE=THERE")
    options = parser.parse_args(arguments)
    try:
        address = Address.of(options.url, _pairs(options.header), _pairs(options.folder))
        address.headers(os.environ)
    except AddressError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    try:
        return asyncio.run(_serve(address))
    except KeyboardInterrupt:
        return 130


async def _serve(address: Address) -> int:
    return await Bridge(address, os.environ).serve()


def _pairs(arguments: Sequence[str]) -> dict[str, str]:
    return {name: value for name, _, value in (text.partition("=") for text in arguments)}


if __name__ == "__main__":
    sys.exit(main())
