"""Keys for agents that were started elsewhere, and the commands that make and revoke them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from acp_jupyter.api.models.command_row import DELETE, GET, POST, BaseCommand, CommandRow
from acp_jupyter.features.outside.keys import OutsidePolicy
from acp_jupyter.protocol.objects import Model


class OutsideKeyEntry(Model):
    """The facts about a key. The key itself is not stored."""

    key_id: str
    notebook_path: str
    policy: OutsidePolicy
    """The initial policy of its agents' sessions, which can be changed like any other."""
    created_at: float
    expires_at: float
    """When it expires, unless the server ends or it is revoked before."""
    last_used_at: float | None = None
    user: str = ""
    """Who made it; empty if users have no names."""


class NewOutsideKey(Model):
    """A new key; this is the only time that it is shown."""

    entry: OutsideKeyEntry
    key: str
    variable: str
    """The environment variable that the program reads it from."""


class MakeOutsideKey(BaseCommand):
    """Make a key for an outside agent."""

    name: Literal["make_outside_key"] = "make_outside_key"
    notebook_path: Annotated[str, Field(min_length=1, max_length=4_000)]
    """Relative to the root folder, with forward slashes."""
    policy: OutsidePolicy = "read-only"


class ListOutsideKeys(BaseCommand):
    """List the valid keys, the newest first."""

    name: Literal["list_outside_keys"] = "list_outside_keys"


class RevokeOutsideKey(BaseCommand):
    """Revoke a key, and end its connections."""

    name: Literal["revoke_outside_key"] = "revoke_outside_key"
    key_id: Annotated[str, Field(max_length=100)]


COMMANDS = (
    CommandRow(
        MakeOutsideKey,
        POST("outside-keys", body=True),
        NewOutsideKey,
        only_user="give an outside agent access to a notebook",
        grants=True,
    ),
    CommandRow(
        ListOutsideKeys,
        GET("outside-keys"),
        tuple[OutsideKeyEntry, ...],
        only_user="list the keys of outside agents",
    ),
    CommandRow(
        RevokeOutsideKey,
        DELETE("outside-keys/{key_id}"),
        only_user="revoke the key of an outside agent",
    ),
)
