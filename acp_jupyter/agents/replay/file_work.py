"""What a replay does to files: written through the client, or changed by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acp_jupyter.agents.replay.changes import Changes
from acp_jupyter.agents.replay.consent import Consent
from acp_jupyter.agents.replay.localise import Localiser
from acp_jupyter.agents.replay.steps import Ask, Part
from acp_jupyter.agents.replay.writes import Writes
from acp_jupyter.agents.rpc import Peer
from acp_jupyter.protocol.host_events.workspace import FileChange

__all__ = ["FileWork"]


class FileWork:
    """The work on files of one session.

    Parameters
    ----------
    peer
        Is asked.
    session_id, root
        Of the session; an empty root is none.
    localiser
        Rewrites texts.
    changes
        Whether recorded changes of files are made again.
    reads
        Whether the client lets agents read files.
    """

    def __init__(
        self,
        peer: Peer,
        session_id: str,
        root: str,
        localiser: Localiser,
        *,
        changes: bool,
        reads: bool,
    ) -> None:
        self.consent = Consent(root)
        self._writes = Writes(peer, session_id, root, localiser, reads=reads)
        self._changes = (
            Changes(peer, session_id, Path(root), localiser, self.consent)
            if changes and root
            else None
        )

    @property
    def makes_changes(self) -> bool:
        """Whether recorded changes of files are made again."""
        return self._changes is not None

    @property
    def wrote(self) -> bool:
        """Whether anything was written in this turn."""
        return self._writes.wrote

    def begin(self) -> None:
        """Begin another turn."""
        self.consent.begin()
        self._writes.begin()

    async def may_write(self, ask: Ask, part: Part) -> bool:
        """See `Writes.may_write`."""
        return await self._writes.may_write(ask, part)

    async def apply(self, files: Sequence[FileChange]) -> bool:
        """See `Changes.make`."""
        if self._changes is not None:
            await self._changes.apply(files)
        return True
