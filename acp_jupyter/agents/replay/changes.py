"""The changes that the recorded agent made by its own tools: asked for, then made again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from acp_jupyter.agents.replay.asking import (
    NotAllowedError,
    ShownChange,
    StoppedError,
    ask_for_changes,
    tell_done,
)
from acp_jupyter.agents.replay.consent import Consent
from acp_jupyter.agents.replay.files import Change, FileChangeError, make_changes, wanted_changes
from acp_jupyter.agents.replay.localise import Localiser
from acp_jupyter.agents.rpc import Peer
from acp_jupyter.protocol.host_events.workspace import FileChange

__all__ = ["Changes"]

_MOST_AT_ONCE = 100
"""A request that names more than the client looks at would be one for the user always."""


class Changes:
    """Makes the changes of a turn, all or none: each must be allowed in this turn.

    Parameters
    ----------
    peer
        Is asked.
    session_id, root
        Of the session.
    localiser
        Rewrites texts.
    consent
        What was allowed in the running turn.
    """

    def __init__(
        self, peer: Peer, session_id: str, root: Path, localiser: Localiser, consent: Consent
    ) -> None:
        self._peer = peer
        self._session_id = session_id
        self._root = root
        self._localiser = localiser
        self._consent = consent

    async def apply(self, files: Sequence[FileChange]) -> None:
        """Bring files from how they were before a turn to how they were after it.

        Raises
        ------
        FileChangeError
            A file is not as it was, or may not be changed: nothing was written.
        NotAllowedError
            A change is not allowed now: nothing was written.
        MakingError
            The disk did not take one.
        StoppedError
            The turn was stopped.
        """
        wanted = wanted_changes(self._root, files, self._localiser)
        calls: list[str] = []
        try:
            for kind, group in self._to_request(wanted):
                calls.append(await self._request(kind, group))
            if calls:  # somebody may have worked on them meanwhile
                wanted = wanted_changes(self._root, files, self._localiser)
            make_changes(wanted)
        except (FileChangeError, NotAllowedError, StoppedError):
            for call_id in calls:
                tell_done(self._peer, self._session_id, call_id, "failed")
            raise
        for call_id in calls:
            tell_done(self._peer, self._session_id, call_id)

    def _to_request(
        self, wanted: Iterable[Change]
    ) -> Iterator[tuple[Literal["edit", "delete"], tuple[ShownChange, ...]]]:
        left = [change for change in wanted if not self._is_covered(change)]
        for group in _groups(_shown(change) for change in left if not change.removes):
            yield "edit", group
        for group in _groups(_shown(change) for change in left if change.removes):
            yield "delete", group

    def _is_covered(self, change: Change) -> bool:
        return self._consent.covers(
            change.name, change.old_text, change.new_text, removed=change.removes
        )

    async def _request(
        self, kind: Literal["edit", "delete"], changes: Sequence[ShownChange]
    ) -> str:
        title = "Delete as recorded:" if kind == "delete" else "Change as recorded:"
        try:
            return await ask_for_changes(self._peer, self._session_id, kind, title, changes)
        except NotAllowedError as error:
            raise NotAllowedError(
                f"{error}: changed when this was recorded, and not allowed now."
            ) from error


def _groups(changes: Iterable[ShownChange]) -> Iterator[tuple[ShownChange, ...]]:
    left = tuple(changes)
    while left:
        yield left[:_MOST_AT_ONCE]
        left = left[_MOST_AT_ONCE:]


def _shown(change: Change) -> ShownChange:
    return ShownChange(change.path, change.name, change.old_text, change.new_text, change.removes)
