"""Reverts a turn in a process that is killed right before one of its files is renamed into place.

Its arguments are the folder that holds all, the turn, ``undo`` or nothing, and how many files are
renamed before.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from acp_jupyter.api.models.turns import RevertTurn
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from tests.support.agents.fake_agent import script
from tests.support.host.restarts import FAST, Server
from tests.support.host.trusted_folders import trusting


def main() -> None:
    """Revert it, and be killed."""
    top, turn_id, undo, before = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "undo", sys.argv[4]
    trust = trusting(top)
    agents = Registry({"own": script("own_tools")}, [])
    host = AgentHost(HostConfig(agents, top / "ws", top / "data", limits=FAST, trust=trust))
    host.start()
    server = Server(host, top / "ws")
    server.result(host.sessions.wake_turn(turn_id))
    left = [int(before)]

    def hear(event: str, args: tuple[object, ...]) -> None:
        if event != "os.rename" or not str(args[0]).endswith(".tmp"):
            return
        # By the folder's descriptor, or by the whole path in the portable layer
        if args[2] != -1 or str(args[0]).startswith(str(top / "ws")):
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hear)
    server.send(RevertTurn(turn_id=turn_id, undo=undo))


if __name__ == "__main__":
    main()
