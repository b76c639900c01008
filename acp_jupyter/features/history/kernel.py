"""Going back from a kernel: ``%acp rewind``, and the option ``--rewind`` of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from acp_jupyter.api.cell_options import LineParser
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.connect import choose_session
from acp_jupyter.kernel.magics.help import print_text
from acp_jupyter.kernel.session import Session

if TYPE_CHECKING:
    from acp_jupyter.kernel.client.host_client import HostClient
    from acp_jupyter.transcript.model.session_state import TurnState


def rewind(rest: Sequence[str]) -> None:
    """Go back to before the last turns, in files and in the agent's memory."""
    parser = LineParser("%acp rewind", see="Type: %acp rewind [N] [--keep-files] or --undo")
    parser.add_argument("turns", nargs="?", default="1")
    parser.add_argument("--keep-files", action="store_true")
    parser.add_argument("--undo", action="store_true")
    given = parser.parse_args(rest)
    client = host_client()
    session = Session(client, choose_session(client))
    if given.undo:
        print_text(_outcome_text(session.undo_rewind(files=not given.keep_files)))
        return
    if not given.turns.isdecimal() or int(given.turns) < 1:
        raise UsageError(f"{given.turns!r} is not a number of turns. Type, for example, 2.")
    sent = _sent_turns(client, session.id)
    if int(given.turns) > len(sent):
        raise UsageError(f"The session has {len(sent)} turns that can be reverted.")
    first = sent[-int(given.turns)]
    print_text(_outcome_text(session.rewind(first.turn_id, files=not given.keep_files)))


def _outcome_text(session: Session) -> str:
    return "" if session.rewound is None else session.rewound.words


def _sent_turns(client: HostClient, session_id: str) -> list[TurnState]:
    """Return the newest turns that the agent has had, in order."""
    turns = [turn for turn in client.turns(session_id) if turn.started_at is not None]
    return sorted(turns, key=lambda turn: turn.started_at or 0.0)


def gone_back(session: Session, turn_id: str) -> Session:
    """Return a session that continues from before a turn, and print what was done."""
    moved = session.rewind(turn_id)
    print_text(_outcome_text(moved))
    return moved
