"""`BaseCommand`, the base of every command's model."""

from __future__ import annotations

from acp_jupyter.protocol.objects import Model


class BaseCommand(Model):
    """What a page, a kernel or an HTTP client asks of the host."""

    name: str
    """The command's name on the wire; each command has its own."""
