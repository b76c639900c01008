"""Who sends a command."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import TypeAliasType

from acp_jupyter.host.answerer import Answerer

__all__ = ["Caller", "KernelCaller", "UserCaller"]


@dataclass(frozen=True, slots=True)
class UserCaller:
    """A person with a Jupyter identity: the cookie or the token of the user."""

    username: str
    anonymous: bool = False
    """Whether the name was made up for whoever has the server's own token or password."""
    shown_name: str = ""
    """Their name where it is worth telling: see `Answerer`."""

    @property
    def person(self) -> str:
        """Who this is among several; empty for the server's owner, who needs no name."""
        return "" if self.anonymous else self.username

    @property
    def answerer(self) -> Answerer:
        """Who answers, when they do."""
        return Answerer(self.username, self.shown_name)


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
