"""A ``%%acp`` cell: build the prompt, send it, display the turn, wait for its end.

``%acp fix`` is such a cell with the kernel's last error as prompt.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import linecache
import shlex
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from string import Formatter
from types import FrameType, ModuleType, TracebackType
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from acp_jupyter.errors import AcpError, BadRequest
from acp_jupyter.kernel.connect import connect
from acp_jupyter.kernel.execution_context import ExecutionContext, execution_context
from acp_jupyter.kernel.magics import last_failure
from acp_jupyter.kernel.magics.cell_options import parse_cell_line
from acp_jupyter.kernel.magics.turn_output import (
    show_beginning,
    show_in_notebook,
    show_in_terminal,
)
from acp_jupyter.kernel.session import defaults
from acp_jupyter.kernel.settings import Settings, split_setting
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.kernel.variables import data_variables, describe_names
from acp_jupyter.protocol.host_events.notes import CellError
from acp_jupyter.transcript.escaping import one_line

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pydantic import JsonValue

    from acp_jupyter.kernel.magics.cell_options import CellOptions
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
    variables = describe_names(options.var, shell.user_ns) if options.var else ()
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
        session = prepare(session, cell)
    session.apply(settings)
    turn = send_prompt(shell, session, options, prompt, error, variables, written)
    try:
        _show(shell, turn, options, cell)
    except KeyboardInterrupt:
        turn.stop_soon()  # wherever the interrupt came
        raise
    if not options.background:
        turn.raise_for_error()
        warn(turn)


def send_prompt(
    shell: InteractiveShell,
    session: Session,
    options: CellOptions,
    prompt: str,
    error: CellError | None,
    variables: Sequence[Described],
    written: str,
) -> Turn:
    """Send a cell's prompt with its attachments; ``written`` is the part that the user wrote."""
    blocks: tuple[dict[str, JsonValue], ...] = ({"type": "text", "text": prompt},)
    if options.attach or variables:
        blocks = session.with_context(prompt, options.attach, variables)
    if "@" in written:
        blocks = (*blocks, *_mentioned(shell, session, written))
    return session._prompt(
        blocks if len(blocks) > 1 else prompt,
        error,
        policy=options.policy or defaults.policy,
        sandbox=options.sandbox or defaults.sandbox,
        allow=options.allow,
        deny=options.deny,
        timeout=options.timeout,
    )


def _mentioned(
    shell: InteractiveShell, session: Session, prompt: str
) -> tuple[dict[str, JsonValue], ...]:
    from acp_jupyter.kernel.attachments import Mentionable, mention_blocks

    client = session._client
    among = Mentionable(
        session.files,
        client.notebook_path,
        data_variables(shell.user_ns, shell.user_ns_hidden),
        partial(client.cell, session.id),
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


def expand(prompt: str, names: Mapping[str, object]) -> str:
    """Replace each ``{name}`` by the variable, ``{name.attribute}`` and ``{name[key]}`` too."""
    try:
        expanded = Formatter().vformat(prompt, (), names)
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


_SOURCE_CHARS = 8000
_TRACEBACK_CHARS = 8000
_MAX_VARIABLES = 8
_NOTHING = "Nothing has failed in this kernel yet. Run the cell that fails, then %acp fix."


def run_fix(shell: InteractiveShell, rest: Sequence[str]) -> None:
    """Send the last error; what follows is understood as in the first line of a cell."""
    options = parse_cell_line(shlex.join(rest))
    if options.feature is not None:
        raise UsageError(f"%acp fix asks one agent: leave out {options.feature.option}.")
    error = _last_error()
    named = tuple(dict.fromkeys((*options.var, *named_variables(shell, error))))
    options = dataclasses.replace(options, var=named)
    run_cell(shell, options, fix_prompt(shell, error), _cell_error(shell, error))


def fix_prompt(shell: InteractiveShell, error: BaseException) -> str:
    """Return a prompt with the cell that failed and the bounded traceback."""
    source = _source(shell, error)
    trace = _user_traceback(shell, error)
    parts = ["A cell of this notebook failed. Find out why and fix it."]
    if source:
        parts.append(f"The cell:\n\n{_fenced(_cut(source, _SOURCE_CHARS), 'python')}")
    parts.append(f"The traceback:\n\n{_fenced(_cut(trace, _TRACEBACK_CHARS))}")
    return "\n\n".join(parts)


def named_variables(shell: InteractiveShell, error: BaseException) -> tuple[str, ...]:
    """Return the user's variables that the failed cell names, the first ones; no modules."""
    try:
        tree = ast.parse(shell.transform_cell(_source(shell, error)))  # type: ignore[no-untyped-call]
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    hidden = shell.user_ns_hidden
    described = (
        name
        for name in dict.fromkeys(found)
        if name in shell.user_ns
        and name not in hidden
        and not isinstance(shell.user_ns[name], ModuleType)
    )
    return tuple(itertools.islice(described, _MAX_VARIABLES))


def _last_error() -> BaseException:
    error = getattr(sys, "last_value", None)
    if not isinstance(error, BaseException):
        raise UsageError(_NOTHING)
    if isinstance(error, AcpError | UsageError):
        raise UsageError(f"The last error was of a magic, not of your code: {error}")
    return error


def _source(shell: InteractiveShell, error: BaseException) -> str:
    """Return the source of the cell that raised the error; empty if unknown."""
    source = "".join(linecache.getlines(_file(shell, error), shell.user_ns))
    return source or (isinstance(error, SyntaxError) and error.text) or ""


def _file(shell: InteractiveShell, error: BaseException) -> str:
    """Return IPython's file name for that cell; empty if unknown."""
    for frame in _frames(error.__traceback__):
        if frame.f_globals is shell.user_ns:
            return frame.f_code.co_filename
    return (isinstance(error, SyntaxError) and error.filename) or ""


def _cell_error(shell: InteractiveShell, error: BaseException) -> CellError:
    """Return the error for the turn's head, with the id of its cell."""
    _, cell = shell.compile.format_code_name(_file(shell, error)) or ("", "")
    cell_id = last_failure.cell_id if last_failure.error is error else ""
    words = traceback.format_exception_only(error)[-1]
    return CellError(cell=cell, cell_id=cell_id, words=one_line(words))


def _user_traceback(shell: InteractiveShell, error: BaseException) -> str:
    """Return the traceback from the user's code on; a cell has no file that one could open."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals is not shell.user_ns:
        trace = trace.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))
    cells = (frame for frame in _frames(trace) if frame.f_globals is shell.user_ns)
    files = dict.fromkeys(frame.f_code.co_filename for frame in cells)
    for number, file in enumerate(files):
        text = text.replace(f'File "{file}"', f'File "<{"another " * (number > 0)}cell>"')
    return text


def _frames(trace: TracebackType | None) -> Iterator[FrameType]:
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _cut(text: str, most: int) -> str:
    """Return the text; without its middle if it is too long."""
    text = text.strip("\n")
    if len(text) <= most:
        return text
    half = most // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n… {left} characters left out …\n{text[-half:]}"


def _fenced(text: str, language: str = "") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
