"""One proposed edit: shown as a diff, asked about, written only when allowed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from acp_jupyter.agents.demo.edits import Edit
from acp_jupyter.agents.demo.files import FileAccessError
from acp_jupyter.agents.demo.turn import Answer, Turn, text_content
from acp_jupyter.agents.rpc import Json

__all__ = ["Proposal", "carry_out", "outcome"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to one file; `old` is None where the file is new."""

    path: Path
    name: str
    old: str | None
    edit: Edit


async def carry_out(turn: Turn, proposal: Proposal) -> tuple[Answer, str | None]:
    """Show the diff, ask, write. Return the answer and what went wrong, if anything did."""
    path, name = proposal.path, proposal.name
    diff: Json = {
        "type": "diff",
        "path": str(path),
        "oldText": proposal.old,
        "newText": proposal.edit.text,
    }
    title = f"{'Write' if proposal.old is None else 'Edit'} {name}"
    fields: Json = {
        "content": [diff],
        "locations": [{"path": str(path)}],
        "rawInput": {"path": str(path), "summary": proposal.edit.summary},
    }
    call = turn.tool_call(title, "edit", "pending", **fields)
    question: Json = {
        "toolCallId": call,
        "title": title,
        "kind": "edit",
        "status": "pending",
        **fields,
    }
    answer = await turn.ask(question, edit=True)
    if not answer.allows:
        turn.tool_update(
            call,
            "failed",
            content=[diff, text_content("Rejected")],
            rawOutput={"outcome": "Rejected"},
        )
        return answer, None
    turn.tool_update(call, "in_progress")
    try:
        await _check_unchanged(turn, proposal)
        await turn.session.files.write(path, proposal.edit.text)
    except FileAccessError as error:
        turn.tool_update(
            call,
            "failed",
            content=[diff, text_content(str(error))],
            rawOutput={"error": str(error)},
        )
        return answer, str(error)
    turn.tool_update(call, "completed", rawOutput={"characters": len(proposal.edit.text)})
    return answer, None


async def _check_unchanged(turn: Turn, proposal: Proposal) -> None:
    # The user may have waited with the answer and worked on the file meanwhile.
    if proposal.old is None:
        changed = proposal.path.exists()
    else:
        changed = await turn.session.files.read(proposal.path) != proposal.old
    if changed:
        raise FileAccessError("it has changed since the edit was proposed")


def outcome(name: str, change: Edit, answer: Answer, problem: str | None) -> str:
    """Return what became of an edit, as a sentence on a line."""
    if not answer.allows:
        return f"The edit to `{name}` was rejected. Nothing was changed.\n"
    if problem is not None:
        return f"`{name}` could not be written: {problem}. Nothing was changed.\n"
    return f"{change.summary}\n"
