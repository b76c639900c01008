"""What is asked of a kernel whose cell waits for a turn, and what it answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from acp_jupyter.delivery.frames import TurnDetail
from acp_jupyter.notebook.kernel_runner import (
    Completion,
    Inspection,
    KernelTrouble,
    RunResult,
    TroubleKind,
    Variables,
)
from acp_jupyter.packets.base import Model

__all__ = [
    "TOOL_MARK",
    "Answer",
    "CompleteCode",
    "FinishedWork",
    "Follow",
    "Followed",
    "GoOn",
    "InspectCode",
    "KernelWork",
    "PrintedSoFar",
    "RunCode",
    "TellVariables",
    "Trouble",
]


TOOL_MARK = "acp_jupyter_tool"
"""In the metadata of a request on the shell channel: its code is an agent's."""


class RunCode(Model):
    """Run code on the main thread, as a cell would."""

    op: Literal["run"] = "run"
    work_id: str
    code: str
    timeout_seconds: float = Field(gt=0)


class TellVariables(Model):
    """List the user's variables."""

    op: Literal["variables"] = "variables"
    work_id: str


class InspectCode(Model):
    """Tell what is known of the name at a place."""

    op: Literal["inspect"] = "inspect"
    work_id: str
    code: str
    position: int = Field(ge=0)


class CompleteCode(Model):
    """Tell how the code goes on at a place."""

    op: Literal["complete"] = "complete"
    work_id: str
    code: str
    position: int = Field(ge=0)


KernelWork = TypeAliasType(
    "KernelWork",
    Annotated[RunCode | TellVariables | InspectCode | CompleteCode, Field(discriminator="op")],
)

Answer = RunResult | Variables | Inspection | Completion


class Trouble(Model):
    """Why a kernel did not do it."""

    trouble: TroubleKind
    message: str

    def error(self) -> KernelTrouble:
        """Return it as what is raised."""
        return KernelTrouble(self.trouble, self.message)


class FinishedWork(Model):
    """What came of it: exactly one of these."""

    work_id: str
    ran: RunResult | None = None
    variables: Variables | None = None
    inspection: Inspection | None = None
    completion: Completion | None = None
    trouble: Trouble | None = None

    def outcome(self) -> Answer | Trouble:
        """Return the one that there is."""
        found = self.ran or self.variables or self.inspection or self.completion or self.trouble
        return found or Trouble(trouble="unsupported", message="The kernel gave no answer.")


class PrintedSoFar(Model):
    """The end of what code has printed that still runs."""

    work_id: str
    text: str = Field(max_length=10_000)


class Follow(Model):
    """What a waiting cell asks: whether there is work for it, or its turn has ended."""

    turn_id: str
    wait_seconds: float = Field(ge=0, le=30)


class Followed(Model):
    """Either work, or the turn as it is now."""

    work: KernelWork | None = None
    detail: TurnDetail | None = None


class GoOn(Model):
    """Whether a cell whose work was interrupted goes on waiting.

    It does where a tool interrupted it, and it does not where the user did.
    """

    go_on: bool
