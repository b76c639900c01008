"""Keys for agents that were started elsewhere, and the commands that make and revoke them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import BaseCommand
from acp_jupyter.host.outside_keys import OutsidePolicy
from acp_jupyter.protocol.objects import Model


class OutsideKeyEntry(Model):
    """What is known of a key. The key itself is kept nowhere."""

    key_id: str
    notebook_path: str
    policy: OutsidePolicy
    """How its agents begin. The policy of their sessions can be changed like any other."""
    created_at: float
    expires_at: float
    """It ends then, with the server, or when it is revoked, whichever is first."""
    last_used_at: float | None = None
    user: str = ""
    """Who made it; empty where people have no names."""


class NewOutsideKey(Model):
    """A key, the only time that it is shown."""

    entry: OutsideKeyEntry
    key: str
    variable: str
    """The environment variable that the program takes it from."""


class MakeOutsideKey(BaseCommand):
    """Make a key for an agent outside."""

    name: Literal["make_outside_key"] = "make_outside_key"
    notebook_path: Annotated[str, Field(min_length=1, max_length=4_000)]
    """Relative to the root folder, with forward slashes."""
    policy: OutsidePolicy = "read-only"


class ListOutsideKeys(BaseCommand):
    """List the keys that are good now, the newest first."""

    name: Literal["list_outside_keys"] = "list_outside_keys"


class RevokeOutsideKey(BaseCommand):
    """End a key, and what is connected with it."""

    name: Literal["revoke_outside_key"] = "revoke_outside_key"
    key_id: Annotated[str, Field(max_length=100)]
