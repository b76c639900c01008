"""A ``%%acp`` cell: build the prompt, send it, display the turn, wait for its end."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from string import Formatter
from typing import TYPE_CHECKING, Any

from acp_jupyter.api.models.turns import PromptSession
from acp_jupyter.api.settings import Settings, split_setting
from acp_jupyter.errors import BadRequest
from acp_jupyter.kernel.client.server_client import host_client
from acp_jupyter.kernel.connect import connect
from acp_jupyter.kernel.context_providers import provided_text
from acp_jupyter.kernel.execution_context import ExecutionContext, execution_context
from acp_jupyter.kernel.left_out import left_out_cells
from acp_jupyter.kernel.magics.turn_output import (
    show_beginning,
    show_in_notebook,
    show_in_terminal,
)
from acp_jupyter.kernel.masked_values import covering
from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.session import defaults, plain_blocks
from acp_jupyter.kernel.tables import describe_table
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.kernel.values import is_tabular
from acp_jupyter.kernel.variables import data_variables, describe, describe_names
from acp_jupyter.protocol.host_events.notes import CellError

if TYPE_CHECKING:
    from pathlib import Path

    from IPython.core.interactiveshell import InteractiveShell
    from pydantic import JsonValue

    from acp_jupyter.api.attachments import Without
    from acp_jupyter.api.cell_options import CellOptions
    from acp_jupyter.api.models.documents import Cell
    from acp_jupyter.kernel.session import Session
    from acp_jupyter.kernel.variables import Described


def run_cell(
    shell: InteractiveShell, options: CellOptions, prompt: str, error: CellError | None = None
) -> None:
    """Send a prompt, show its turn and wait for the end.

    Parameters
    ----------
    error
        The error that the prompt is about; then ``@`` in the prompt attaches nothing.
    """
    cell = execution_context()
    # If the kernel ends with the notebook's run, nothing would show a background turn's end. With a
    # name, later cells can wait for the turn.
    background = options.background and (cell.goes_on or options.out is not None)
    options = dataclasses.replace(options, background=background)
    written = prompt if error is None else ""
    if options.format:
        prompt = expand(prompt, shell.user_ns)
    variables = described_variables(shell, options)
    settings = Settings(
        options.mode, options.model, tuple(split_setting(each) for each in options.config)
    )
    session = connect(
        options.agent,
        session=options.session,
        new=options.new,
        trust=options.trust,
        tools=not options.no_tools,
        sandbox=options.sandbox or defaults.sandbox,
        network=options.network,
    )
    for prepare in options.prepare:
        session = prepare.in_kernel(session, cell)
    session.apply(settings)
    command = prompt_command(shell, session, options, prompt, variables, written)
    turn = session._send(command, options.timeout, error)
    try:
        _show(shell, turn, options, cell)
    except KeyboardInterrupt:
        turn.stop_soon()  # wherever the interrupt came
        raise
    if not options.background:
        turn.raise_for_error()
        warn(turn)


def described_variables(shell: InteractiveShell, options: CellOptions) -> tuple[Described, ...]:
    """Return the variables that a cell's first line names."""
    if not options.var:
        return ()
    left_out_cells.update(host_client().cell_contexts)
    return describe_names(options.var, shell.user_ns)


def prompt_command(
    shell: InteractiveShell,
    session: Session,
    options: CellOptions,
    prompt: str,
    variables: Sequence[Described],
    written: str,
) -> PromptSession:
    """Return a cell's prompt with its attachments; ``written`` is the part that the user wrote."""
    blocks: tuple[dict[str, JsonValue], ...] = ({"type": "text", "text": prompt},)
    if options.attach or variables:
        going = [each for each in variables if each.name not in options.without]
        blocks = session.with_context(prompt, options.attach, going)
    if "@" in written:
        left_out_cells.update(host_client().cell_contexts)
        blocks = (*blocks, *_mentioned(shell, session, written))
    unpinned: tuple[str, ...] = ()
    if options.without:
        without = without_of(options)
        blocks = without.kept(blocks, *(each.name for each in variables))
        unpinned = without.unpinned
    return PromptSession(
        session_id=session.id,
        unpinned=unpinned,
        prompt=plain_blocks(blocks if len(blocks) > 1 else prompt),
        policy=options.policy or defaults.policy or session._policy,
        sandbox=options.sandbox or defaults.sandbox or session._sandbox,
        allow=tuple(options.allow),
        deny=tuple(options.deny),
        limit=options.limit,
    )


def without_of(options: CellOptions) -> Without:
    """Return what a cell's first line leaves out."""
    from acp_jupyter.api.attachments import Without

    return Without.of(options.without, host_client().cell_contexts().cells)


def _mentioned(
    shell: InteractiveShell, session: Session, prompt: str
) -> tuple[dict[str, JsonValue], ...]:
    client = session._client
    return mentioned_in(shell, prompt, session.files, partial(client.cell, session.id))


def mentioned_in(
    shell: InteractiveShell, prompt: str, files: Path, cell: Callable[[int], Cell]
) -> tuple[dict[str, JsonValue], ...]:
    """Return what a prompt mentions with ``@``, among the variables of a kernel."""
    from acp_jupyter.api.attachments import Mentionable, mention_blocks

    variables = data_variables(shell.user_ns, shell.user_ns_hidden)

    def described(name: str) -> str | None:
        if name in variables:
            return describe(name, variables[name], picture=False).text
        return provided_text(name, variables)

    among = Mentionable(
        files,
        host_client().notebook_path,
        described,
        cell,
    )
    return mention_blocks(prompt, among)


def _show(
    shell: InteractiveShell, turn: Turn, options: CellOptions, cell: ExecutionContext
) -> None:
    shell.push({"_acp": turn}, interactive=False)  # type: ignore[no-untyped-call]
    if options.out:
        shell.push({options.out: turn})  # type: ignore[no-untyped-call]
    if options.background:
        show_beginning(turn, cell)
    elif cell.frontend == "terminal":
        show_in_terminal(turn)
    else:
        show_in_notebook(turn, cell)


def warn(turn: Turn) -> None:
    """Warn if the turn ended early without an error."""
    if turn.stop_reason in {"refusal", "max_tokens", "max_turn_requests"}:
        # Attribute it to the cell, as a saved notebook must not contain the path of this file.
        warnings.warn_explicit(turn._detail.turn.words, UserWarning, "%%acp", 1)


_MAX_CHARS = 1_000_000


class _Covered(Formatter):
    """Formats values without what is masked."""

    def __init__(self, cover: Callable[[str], str]) -> None:
        self._cover = cover

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as text."""
        if masks.active and is_tabular(value):
            return describe_table("", value)
        return self._cover(super().format_field(value, format_spec))


def expand(prompt: str, names: Mapping[str, object]) -> str:
    """Replace each ``{name}`` by the variable, ``{name.attribute}`` and ``{name[key]}`` too."""
    try:
        expanded = _Covered(covering(names)).vformat(prompt, (), names)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - of the user's own objects
        raise BadRequest(
            f"--format can't expand the prompt: {_words(error)} Write {{{{ and }}}} for braces."
        ) from None
    if len(expanded) > _MAX_CHARS:
        raise BadRequest(f"With its variables the prompt has {len(expanded):,} characters.")
    return expanded


def _words(error: BaseException) -> str:
    name = type(error).__name__
    try:
        match error:
            case KeyError(args=(missing, *_)) | NameError(args=(missing, *_)):
                return f"there is no variable {missing!r}."
            case IndexError():
                return "braces must name a variable."
            case _:
                return f"{error}." if str(error) else f"{name}."
    except Exception:  # noqa: BLE001 - the error can't be written either
        return f"{name}."
