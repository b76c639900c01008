"""Requests of a kernel that can only reach its server through its own channels: behind a gateway.

A request is sent in comm messages on the IOPub channel, and its answer in messages on the control
channel, which a kernel handles while a cell runs. Both are split into parts. The kernel asks for
each part of an answer, so that neither side buffers more than one; parts that may be lost are sent
again, and the server carries out a request of the same id only once.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter

COMM_ID = "acp-jupyter"
"""The target name of the kernel's comm, which no page has."""
ANSWER_TYPE = "acp_jupyter_answer"
"""The type of the server's messages."""

KEY_VARIABLE = "KERNEL_ACP_JUPYTER_KEY"
"""The variable with the server's key for this kernel. Gateways pass on only ``KERNEL_*``."""
BASE_VARIABLE = "KERNEL_ACP_JUPYTER_BASE"
"""The variable with the server's base URL, which is a part of the signed path."""

PART_BYTES = 256 * 1024
"""Longest part of a body: gateways limit messages."""
REQUEST_BYTES = 32 * 1024 * 1024
"""Longest body of a request."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    request_id: str = Field(min_length=8, max_length=64)


class RequestPart(_Part):
    """A part of a request; the first one has its head."""

    kind: Literal["request"] = "request"
    number: int = Field(ge=0)
    method: str = ""
    path: str = ""
    headers: dict[str, str] = {}
    body: Base64Bytes = b""
    last: bool


class NextPart(_Part):
    """Asks for a part of the answer."""

    kind: Literal["next"] = "next"
    number: int = Field(ge=0)


class StopAnswer(_Part):
    """Says that the kernel needs no more of the answer."""

    kind: Literal["stop"] = "stop"


FromKernel = Annotated[RequestPart | NextPart | StopAnswer, Field(discriminator="kind")]


@cache
def from_kernel() -> TypeAdapter[FromKernel]:
    """Return what reads a part that a kernel sends."""
    return TypeAdapter(FromKernel)


class AnswerPart(_Part):
    """A part of an answer."""

    number: int = Field(ge=0)
    status: int
    body: Base64Bytes = b""
    last: bool
