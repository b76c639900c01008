"""``python -m acp_jupyter.agents.locked --folder FOLDER [--node-wheel] AGENT [ARGUMENT...]``.

With ``--then``, the arguments are a command that runs once the agent is installed: one that runs it
in a sandbox, where it could not be installed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from acp_jupyter.agents.locked.install import NotInstalled, installed


def main(arguments: Sequence[str] | None = None) -> int:
    """Install an agent, unless it is installed, and replace this process by it."""
    parser = argparse.ArgumentParser(prog="python -m acp_jupyter.agents.locked")
    parser.add_argument("--folder", type=Path, required=True, help="where it is installed")
    parser.add_argument("--node-wheel", action="store_true", help="install Node too, if needed")
    parser.add_argument("--then", action="store_true", help="run a command in its place")
    parser.add_argument("agent", help="its id")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    try:
        program, environment = installed(
            options.agent, options.folder, node_wheel=options.node_wheel
        )
        if options.then:
            os.execv(options.arguments[0], options.arguments)  # noqa: S606 - no shell is wanted
        command = [str(program), *options.arguments]
        os.execve(program, command, dict(environment))  # noqa: S606 - no shell is wanted
    except FileNotFoundError as error:
        sys.stderr.write(f"{options.agent} can't be started: {error.filename} is not there.\n")
    except (NotInstalled, OSError) as error:
        sys.stderr.write(f"{options.agent} was not installed. {error}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
