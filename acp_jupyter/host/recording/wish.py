"""What a notebook asks for: to be recorded, or to be played from its record."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acp_jupyter.protocol.objects import Model

__all__ = ["RecordWish"]


class RecordWish(Model):
    """Keep a record of the session, or play one in the agent's place."""

    mode: Literal["record", "replay"]
    run: str = Field(default="", max_length=64)
    """Changes with each kernel and each ``on``: another run begins with other sessions."""
    path: str = Field(default="", max_length=1000)
    """The record's folder, or the notebook's file, from the notebook's folder; default: beside
    the notebook, under its name."""
