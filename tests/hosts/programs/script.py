"""A script without Jupyter: an agent reads, changes a file, and is asked no more than allowed."""

from __future__ import annotations

from pathlib import Path

from acp_jupyter.errors import EmptyPrompt, NobodyToAsk
from acp_jupyter.kernel.connect import connect, list_agents, list_sessions, resume

assert "demo" in [agent.id for agent in list_agents() if agent.status == "ready"]

with connect("demo") as session:
    pieces = list(session.prompt("list rate=20").stream())
    turn = session.turns[-1]
    assert len(pieces) > 1, pieces
    assert "".join(pieces) == turn.text

    try:
        session.prompt("create asked.txt rate=0").wait()
    except NobodyToAsk as error:
        print("refused:", error)
    assert not Path("asked.txt").exists()

    made = session.prompt("create made.txt rate=0", allow=["edit:*.txt"]).wait()
    print(made.stop_reason, [diff.path for diff in made.diffs], made.permissions[0].outcome)
    made.revert()
    assert not Path("made.txt").exists()

    try:
        session.prompt(" ")
    except EmptyPrompt as error:
        print("refused:", error)

(kept,) = list_sessions()
again = resume(kept.session_id[:8])
assert "made.txt" in again.to_markdown()
again.delete()
assert not list_sessions()
print("done")
