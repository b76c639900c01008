"""What all models of build mode share: nothing is said twice, and times have one form."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from acp_jupyter.packets.base import Model
from acp_jupyter.packets.models import TimedPacket
from acp_jupyter.packets.parse.packet import read_timestamp

__all__ = ["BuildModel", "BuildTimed", "moment_of", "wire_time"]


class BuildModel(Model):
    """Base of what stands on the wire; fields that say nothing are left out there."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        said: dict[str, JsonValue] = handler(self)
        if "timestamp" in said:
            said["timestamp"] = said.pop("timestamp")  # the last, as in the seed
        return {name: value for name, value in said.items() if value is not None}


def wire_time(moment: datetime) -> str:
    """Write a time as ISO 8601 with milliseconds and Z (S3.3)."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _now() -> datetime:
    return datetime.now(UTC)


def _moment(value: object) -> datetime:
    """Read a time; C14: for none that makes sense it is that of the receipt."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    seconds = read_timestamp(value) if isinstance(value, str | int | float) else None
    return _now() if seconds is None else datetime.fromtimestamp(seconds, UTC)


_Time = Annotated[datetime, BeforeValidator(_moment), PlainSerializer(wire_time, return_type=str)]


class BuildTimed(BuildModel):
    """Base of packets: each has a time (S3.3)."""

    timestamp: _Time = Field(default_factory=_now)


def moment_of(packet: TimedPacket) -> datetime:
    """Return a packet's time; for one that was never stamped it is now."""
    return _now() if packet.timestamp is None else datetime.fromtimestamp(packet.timestamp, UTC)
