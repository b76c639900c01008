"""Who sends a command."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import TypeAliasType

__all__ = ["Caller", "KernelCaller", "UserCaller"]


@dataclass(frozen=True, slots=True)
class UserCaller:
    """A person with a Jupyter identity: the cookie or the token of the user."""

    username: str


@dataclass(frozen=True, slots=True)
class KernelCaller:
    """A kernel that proved itself with the key of its connection file.

    It stands for the code that runs in it, which may be an agent's. So it may prompt, read and
    cancel its own sessions, and never answer a permission.
    """

    kernel_id: str
    notebook_path: str
    """The notebook that the server has bound to this kernel; empty when there is none."""


Caller = TypeAliasType("Caller", UserCaller | KernelCaller)
