"""The contents of a turn: text, tool calls and file changes; as Markdown, HTML, JSON or a table."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from acp_jupyter.api.models.turns import ChangesReply, FileTexts, TurnDetail
from acp_jupyter.errors import BadRequest, ChangesGone, MissingPackage
from acp_jupyter.kernel.atomic_write import atomic_write
from acp_jupyter.kernel.client.host_client import HostClient
from acp_jupyter.protocol.host_events.session import FileHunks, Hunk
from acp_jupyter.transcript.model.items import AgentMessage, Artifact, Plan, PlanEntry, Thought
from acp_jupyter.transcript.model.session_state import Usage
from acp_jupyter.transcript.model.tool_items import Diff, Permission, ToolCall
from acp_jupyter.transcript.output.markdown import turn_markdown
from acp_jupyter.transcript.output.plain_text import own_items, turn_seconds
from acp_jupyter.transcript.redactor import Redactor, Scrubber

if TYPE_CHECKING:
    from pandas import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
        DataFrame,
    )


class TurnValues(ABC):
    """Properties that read the present state of the turn."""

    _detail: TurnDetail
    """The newest known state."""

    @abstractmethod
    def _current(self) -> TurnDetail:
        """Return the turn, brought up to date until it is done."""

    @property
    def id(self) -> str:
        """The turn's id."""
        return self._detail.turn.turn_id

    @property
    def session_id(self) -> str:
        """The id of its session."""
        return self._detail.turn.session_id

    @property
    def text(self) -> str:
        """The agent's answer, Markdown."""
        items = own_items(self._current().items)
        return "\n\n".join(item.text for item in items if isinstance(item, AgentMessage))

    @property
    def thoughts(self) -> str:
        """The agent's reasoning, Markdown."""
        items = own_items(self._current().items)
        return "\n\n".join(item.text for item in items if isinstance(item, Thought))

    @property
    def tool_calls(self) -> ToolCalls:
        """The tool calls, with those of subagents (``parent_id``), in order.

        A tuple; ``tool_calls.to_frame()`` makes it a DataFrame, ``tool_calls.rows()`` dictionaries.
        """
        return ToolCalls(item for item in self._current().items if isinstance(item, ToolCall))

    @property
    def reported_diffs(self) -> tuple[Diff, ...]:
        """The file changes that the agent reported, made or only proposed."""
        return tuple(diff for call in self.tool_calls for diff in call.diffs)

    @property
    def permissions(self) -> tuple[Permission, ...]:
        """The permission requests with their outcomes."""
        return tuple(call.permission for call in self.tool_calls if call.permission is not None)

    @property
    def plan(self) -> tuple[PlanEntry, ...]:
        """The newest plan."""
        plans = [item for item in self._current().items if isinstance(item, Plan)]
        return plans[-1].entries if plans else ()

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """The artifacts that the agent made, in order."""
        return tuple(item for item in self._current().items if isinstance(item, Artifact))

    @property
    def usage(self) -> Usage | None:
        """The session's use of its context, if the agent reports it. ACP: usage_update."""
        return self._current().session.usage

    @property
    def tokens(self) -> int | None:
        """The tokens that this turn used, if the agent reports them."""
        return self._current().turn.tokens

    @property
    def status(self) -> str:
        """``queued``, ``running``, ``requires_action`` or ``done``."""
        return self._current().turn.status

    @property
    def stop_reason(self) -> str | None:
        """How the turn ended: a stop reason of ACP, or ``error``; None while it runs."""
        return self._current().turn.stop_reason or None

    @property
    def duration(self) -> float | None:
        """How many seconds the turn has run so far; None while it is queued."""
        detail = self._current()
        turn = detail.turn
        if turn.started_at is None or turn.ended_at is not None:
            return turn_seconds(turn, detail.items)
        return max(0.0, time.time() - turn.started_at)

    @property
    def done(self) -> bool:
        """Whether the turn has ended."""
        return self._current().turn.status == "done"


class ToolCallRow(TypedDict):
    """A tool call's row in a table, which has only some of its fields."""

    tool_call_id: str
    kind: str
    """The protocol's: ``read``, ``edit``, ``execute``, …"""
    tool: str
    title: str
    description: str
    status: str
    path: str
    command: str
    exit_code: int | None
    files_changed: int
    lines_added: int
    lines_removed: int
    permission: str
    """The result of its permission request; empty without a request."""
    output_chars: int
    parent_id: str
    """The call of the subagent that made it; empty for the agent's own."""


class ToolCalls(tuple[ToolCall, ...]):
    """A tuple of tool calls, in order, that can be made a table.

    Examples
    --------
    >>> for call in turn.tool_calls:
    ...     print(call.title, call.status)
    >>> turn.tool_calls.to_frame().groupby("kind").size()
    """

    __slots__ = ()

    def rows(self) -> list[ToolCallRow]:
        """Return a dictionary for each call, all with the same keys."""
        return [_row(call) for call in self]

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row for each call, by its id."""
        try:
            import pandas
        except ImportError:
            raise MissingPackage(
                "This needs pandas. Run %pip install pandas, or use tool_calls.rows()."
            ) from None
        columns = list(ToolCallRow.__annotations__)
        frame = pandas.DataFrame(self.rows(), columns=columns)
        # A nullable integer, so that missing values don't turn the column into floats.
        frame["exit_code"] = frame["exit_code"].astype("Int64")
        return frame.set_index("tool_call_id")


def _row(call: ToolCall) -> ToolCallRow:
    permission = call.permission
    return ToolCallRow(
        tool_call_id=call.tool_call_id,
        kind=call.tool_kind,
        tool=call.tool_name,
        title=call.title,
        description=call.description,
        status=call.status,
        path=call.path,
        command=call.command,
        exit_code=call.exit_code,
        files_changed=len({diff.path for diff in call.diffs}),
        lines_added=sum(diff.added or 0 for diff in call.diffs),
        lines_removed=sum(diff.removed or 0 for diff in call.diffs),
        permission="" if permission is None else permission.outcome or permission.state,
        output_chars=len(call.output),
        parent_id=call.parent_id or "",
    )


class ChangedTurn(TurnValues):
    """Properties for a turn's changes, from the checkpoints of the folder."""

    _client: HostClient
    _changes: ChangesReply | None = None

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """The files that the turn changed; for turns of earlier versions, by any author.

        While the turn runs, and if a file or the folder could not be stored, the changes that the
        agent reported. Binary and very large files have no text here, and no line counts.
        """
        if not self.done:
            return self.reported_diffs
        if self._changes is None:
            self._changes = self._client.changes(self.id)
        if not self._changes.known:
            return self.reported_diffs
        own = (file for file in self._changes.files if file.is_turns)
        return tuple(diff for file in own for diff in self._diffs_of(file))

    @property
    def unknown_paths(self) -> tuple[str, ...]:
        """Files that changed while the turn ran, by an unknown author."""
        if not self.done:
            return ()
        if self._changes is None:
            self._changes = self._client.changes(self.id)
        return tuple(file.path for file in self._changes.files if file.author == "unknown")

    def _diffs_of(self, file: FileTexts) -> tuple[Diff, ...]:
        if not file.unread:
            return (_diff(file),)
        done = (call for call in self.tool_calls if call.status == "completed")
        reported = tuple(diff for call in done for diff in call.diffs if diff.path == file.path)
        return reported or (_diff(file),)

    def patch(self) -> str:
        """Return all changes of the turn as one unified diff for ``git apply``.

        Raises
        ------
        ChangesGone
            The turn has not ended, the folder could not be stored, or the patch is too long.
        """
        reply = self._client.changes(self.id, form="patch")
        if reply.patch is None:
            raise ChangesGone(reply.words)
        return reply.patch

    def hunks(self, path: str) -> tuple[Hunk, ...]:
        """Return the changes in a text file, each of which can be kept or reverted alone.

        Parameters
        ----------
        path
            Path of a file in `diffs`.

        Raises
        ------
        BadRequest
            The turn did not change that file, or it is a notebook, whose changes are cells.
        """
        (file,) = self._client.changes(self.id, path).files
        if path.endswith(".ipynb"):
            raise BadRequest(
                f"The changes of {path} are cells. Keep or revert it as a whole, or single cells "
                "in JupyterLab."
            )
        old, new = ((text or "").split("\n") for text in (file.old_text, file.new_text))
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        return tuple(
            Hunk(old_start=old_start, old_end=old_end, new_start=new_start, new_end=new_end)
            for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes()
            if tag != "equal"
        )

    def keep(
        self,
        paths: str | Iterable[str] | None = None,
        *,
        hunks: Mapping[str, Iterable[Hunk]] | None = None,
    ) -> tuple[str, ...]:
        """Put what was changed in a copy into the folder; all of it, or none.

        The turn is a variant, or of a session in the sandbox ``copy``; there, what earlier turns
        changed in the same files is kept with it. `revert` removes it again.

        Parameters
        ----------
        paths
            Paths of files in `diffs`; by default all.
        hunks
            Single changes by path, in place of whole files, as `hunks` returns them. They are
            kept alone, without those of earlier turns.

        Returns
        -------
        tuple of str
            The files.

        Raises
        ------
        BadRequest
            The turn has worked in the folder itself, or has changed no file.
        ChangesRefused
            Some were changed in the same place since the copy was made, or are kept already. Its
            ``detail`` names them.
        """
        chosen = (paths,) if isinstance(paths, str) else paths
        named = None if chosen is None else tuple(chosen)
        return self._client.keep(self.id, named, _file_hunks(hunks)).paths

    def revert(
        self,
        paths: str | Iterable[str] | None = None,
        *,
        hunks: Mapping[str, Iterable[Hunk]] | None = None,
        partial: bool = False,
        unknown: bool = False,
    ) -> tuple[str, ...]:
        """Restore files as they were before the turn; all of them, or none. Return their paths.

        Parameters
        ----------
        paths
            Paths in `diffs` or `unknown_paths`; by default all of `diffs`. The turn's own
            notebook is never reverted, as it is saved while the turn runs.
        hunks
            Single changes by path, in place of whole files, as `hunks` returns them.
        partial
            Whether to revert the others if some files were changed since the turn.
        unknown
            Whether to revert the files of `unknown_paths`, too.

        Raises
        ------
        ChangesRefused
            Some were changed since. Its ``detail`` names them.
        ChangesGone
            Former contents are no longer stored.
        """
        chosen = (paths,) if isinstance(paths, str) else paths
        named = None if chosen is None else tuple(chosen)
        parts = _file_hunks(hunks)
        reply = self._client.revert(self.id, named, hunks=parts, partial=partial, unknown=unknown)
        return reply.paths


def _file_hunks(hunks: Mapping[str, Iterable[Hunk]] | None) -> tuple[FileHunks, ...]:
    return tuple(FileHunks(path=path, hunks=tuple(some)) for path, some in (hunks or {}).items())


def _diff(file: FileTexts) -> Diff:
    return Diff(
        path=file.path,
        old_text=file.old_text,
        new_text=file.new_text or "",
        is_new_file=file.change == "added",
        added=file.added,
        removed=file.removed,
    )


class ExportedTurn(TurnValues):
    """Writes a turn in other forms."""

    _client: HostClient

    def to_markdown(self, *, thoughts: bool = False) -> str:
        """Return the answer with its tool calls as Markdown."""
        detail = self._current()
        return turn_markdown(detail.turn, detail.items, thoughts=thoughts)

    def to_html(self, *, thoughts: bool = False) -> str:
        """Return the turn as one self-contained HTML file.

        Raises
        ------
        MissingPackage
            A package that the format needs is not installed.
        """
        detail = self._current()
        scrubber = Scrubber.of_session(detail.session, Redactor(), str(Path.home()))
        from acp_jupyter.transcript.output.html import html_page

        return html_page(detail.session, [detail.turn], detail.items, scrubber, thoughts=thoughts)

    def share(self, path: str | Path, *, thoughts: bool = False, force: bool = False) -> Path:
        """Write the turn as one HTML file, as JupyterLab shows it; it plays in steps.

        Parameters
        ----------
        path
            Path of the new file.
        thoughts
            Whether the agent's reasoning is part of it.
        force
            Whether a file that is there is replaced.

        Raises
        ------
        BadRequest
            The file is there already, or can't be written.
        """
        page = self._client.shared_page(self.session_id, self.id, thoughts=thoughts)
        atomic_write(Path(path), [page.encode()], force=force)
        return Path(path)

    def to_dict(self) -> dict[str, Any]:
        """Return the turn and its items as JSON-able values."""
        detail = self._current()
        return detail.model_dump(mode="json", include={"turn", "items"})
