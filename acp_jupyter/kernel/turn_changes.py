"""What a turn changed in its folder, for reading and for taking back."""

from __future__ import annotations

from collections.abc import Iterable

from acp_jupyter.api.models.changes import ChangesReply, FileTexts
from acp_jupyter.errors import ChangesGone
from acp_jupyter.kernel.client import HostClient
from acp_jupyter.kernel.turn_values import TurnValues
from acp_jupyter.transcript.model.tool_items import Diff

__all__ = ["ChangedTurn"]


class ChangedTurn(TurnValues):
    """Reads a turn's changes from what is kept of the folder, whoever wrote them."""

    _client: HostClient
    _changes: ChangesReply | None = None

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The files that it changed, whoever wrote them.

        While it runs, and where a file or the folder could not be kept, those that the agent
        reported. A file that is no text, or is too large, has no text here and no line counts.
        """
        if not self.done:
            return self.reported_diffs
        if self._changes is None:
            self._changes = self._client.changes(self.id)
        if not self._changes.known:
            return self.reported_diffs
        return tuple(diff for file in self._changes.files for diff in self._diffs_of(file))

    def _diffs_of(self, file: FileTexts) -> tuple[Diff, ...]:
        if not file.unread:
            return (_diff(file),)
        done = (call for call in self.tool_calls if call.status == "completed")
        reported = tuple(diff for call in done for diff in call.diffs if diff.path == file.path)
        return reported or (_diff(file),)

    def patch(self) -> str:
        """Return all that it changed as one unified diff, which ``git apply`` takes.

        Raises
        ------
        ChangesGone
            It has not ended, the folder could not be kept, or the patch is too long.
        """
        reply = self._client.changes(self.id, form="patch")
        if reply.patch is None:
            raise ChangesGone(reply.words)
        return reply.patch

    def revert(
        self, paths: str | Iterable[str] | None = None, *, partial: bool = False
    ) -> tuple[str, ...]:
        """Make files as they were before the turn, and return which; all of them, or none.

        Parameters
        ----------
        paths
            Which, as they stand in `diffs`; by default all. The turn's own notebook is never
            one of them: it is saved while the turn runs.
        partial
            Whether to take back what can be, where some were changed since the turn.

        Raises
        ------
        ChangesRefused
            Some were changed since. Its ``detail`` names them.
        ChangesGone
            What they were is not kept.
        """
        chosen = (paths,) if isinstance(paths, str) else paths
        named = None if chosen is None else tuple(chosen)
        return self._client.revert(self.id, named, partial=partial).paths


def _diff(file: FileTexts) -> Diff:
    return Diff(
        path=file.path,
        old_text=file.old_text,
        new_text=file.new_text or "",
        is_new_file=file.change == "added",
        added=file.added,
        removed=file.removed,
    )
