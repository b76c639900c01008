"""Turns whose changes of a file are one: each went on from what the one before it left."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acp_jupyter.errors import ChangesRefused
from acp_jupyter.packets.change_notes import ChangedFile
from acp_jupyter.transcript.session_state import TurnState

__all__ = ["refuse_broken", "refuse_other_counting"]

_IN_PLACE = {"added", "modified", "deleted"}


def refuse_other_counting(file: ChangedFile, earlier: Sequence[str]) -> None:
    """Refuse what would count lines from another text than what was taken back before.

    Raises
    ------
    ChangesRefused
        Parts of the file were taken back together with those of other turns, or without them.
    """
    if file.reverted_hunks and file.together != tuple(earlier):
        raise ChangesRefused(
            f"Parts of {file.path} were taken back in a review of other turns. Undo them there."
        )


def refuse_broken(turns: Sequence[TurnState], paths: Sequence[str]) -> None:
    """Refuse files that were not handed from turn to turn as they are.

    Parameters
    ----------
    turns
        The oldest first.
    paths
        Files.

    Raises
    ------
    ChangesRefused
        Somebody else changed one of them in between, or some of it was taken back since.
    """
    for path in paths:
        files = [file for turn in turns for file in _named(turn, path)]
        whole = len(files) == len(turns) and all(
            file.kept and file.change in _IN_PLACE for file in files
        )
        handed = all(
            one.new_text_id == other.old_text_id != "" and one.reverted == other.reverted
            for one, other in pairwise(files)
        )
        if not (whole and handed) or any(file.reverted_hunks for file in files[:-1]):
            raise ChangesRefused(
                f"What these turns made of {path} can't be taken back together. "
                "Take it back turn by turn."
            )


def _named(turn: TurnState, path: str) -> list[ChangedFile]:
    files = () if turn.changes is None or not turn.changes.revertible else turn.changes.files
    return [file for file in files if file.path == path]
