"""Waits for a turn, and works for its agent's tools meanwhile."""

from __future__ import annotations

from acp_jupyter.api.models.turns import TurnDetail
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.surroundings import current_shell
from acp_jupyter.notebook_tools.kernel_work import PrintedSoFar

__all__ = ["follow_and_work", "follow_only"]


def follow_only(client: HostClient, turn_id: str, seconds: float) -> TurnDetail | None:
    """Return a turn at its end or after some time."""
    return client.turn(turn_id, seconds)


def follow_and_work(client: HostClient, turn_id: str, seconds: float) -> TurnDetail | None:
    """Do the same on the main thread, or do one piece of work and return None.

    Raises
    ------
    KeyboardInterrupt
        The user interrupted: first the tool's code, which has been told, and now the wait.
    """
    followed = client.follow(turn_id, seconds)
    if followed.work is None:
        return None if followed.detail is None else client.whole(followed.detail)
    from acp_jupyter.kernel.running.executor import do_work  # IPython's parts, when needed

    work_id = followed.work.work_id

    def tell(tail: str) -> None:
        client.print(PrintedSoFar(work_id=work_id, text=tail))

    finished = do_work(current_shell(), followed.work, tell)
    by_tool = client.finish(finished)
    ran = finished.ran
    if ran is not None and ran.status == "interrupted" and not by_tool:
        raise KeyboardInterrupt
    return None
