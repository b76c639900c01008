"""A program with one prompt, which may be recorded or replayed."""

from __future__ import annotations

from acp_jupyter.kernel.connect import connect

session = connect("demo", trust=True)
turn = session.prompt("create made.txt", policy="accept-edits").wait()
print(session.state.agent_info.name, turn.stop_reason, [diff.path for diff in turn.diffs])
