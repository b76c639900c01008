"""The host's own lines in the log of a session, which later versions still read."""

from __future__ import annotations

from pydantic import TypeAdapter

from acp_jupyter.protocol.host_events.notes import Note
from tests.contract.golden import check, schema_lines


def test_the_schemas_of_all_notes() -> None:
    schema = TypeAdapter[Note](Note).json_schema(mode="validation")
    check("notes.txt", schema_lines(schema["$defs"]))
