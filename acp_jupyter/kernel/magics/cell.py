"""A ``%%acp`` cell: build the prompt, send it, display the turn, wait for its end.

``%acp fix`` is such a cell with the kernel's last error as prompt.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import itertools
import linecache
import shlex
import sys
import threading
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
from acp_jupyter.kernel.session import Settings, defaults, split_setting
from acp_jupyter.kernel.turn.display import (
    TerminalScreen,
    end_widget,
    first_bundle,
    wants_widget,
)
from acp_jupyter.kernel.turn.turn import Turn
from acp_jupyter.kernel.variables import data_variables, describe_names
from acp_jupyter.protocol.host_events.notes import CellError
from acp_jupyter.transcript.escaping import one_line
from acp_jupyter.transcript.output.bundle import Bundle

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell
    from pydantic import JsonValue

    from acp_jupyter.kernel.magics.cell_options import CellOptions
    from acp_jupyter.kernel.session import Session
    from acp_jupyter.kernel.turn.acp_widget import AcpWidget
    from acp_jupyter.kernel.turn.unseen import UnseenTurn


_FOLLOW_SECONDS = 20.0


def run_cell(
    shell: InteractiveShell, options: CellOptions, prompt: str, error: CellError | None = None
) -> None:
    """Send a prompt, show its turn and wait for the end.

    Parameters
    ----------
    shell
        IPython's, with the user's variables.
    options
        Of the first line.
    prompt
        What follows it.
    error
        What the prompt is about, if the user did not write it: then ``@`` in it attaches nothing.

    Raises
    ------
    TurnError
        The turn ended in an error; its output shows it.
    KeyboardInterrupt
        The kernel was interrupted; the turn is stopped.
    """
    cell = execution_context()
    # Nothing would show the end of a turn that outlasts the run of its notebook; one that has a
    # name is for later cells to wait for.
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
    )
    session.apply(settings)
    blocks: tuple[dict[str, JsonValue], ...] = ({"type": "text", "text": prompt},)
    if options.attach or variables:
        blocks = session.with_context(prompt, options.attach, variables)
    if "@" in written:
        blocks = (*blocks, *_mentioned(shell, session, written))
    turn = session._prompt(
        blocks if len(blocks) > 1 else prompt,
        error,
        policy=options.policy or defaults.policy,
        allow=options.allow,
        deny=options.deny,
        timeout=options.timeout,
    )
    try:
        _show(shell, turn, options, cell)
    except KeyboardInterrupt:
        turn.stop_soon()  # wherever the interrupt came
        raise
    if not options.background:
        turn.raise_for_error()
        _warn(turn)


def _mentioned(
    shell: InteractiveShell, session: Session, prompt: str
) -> tuple[dict[str, JsonValue], ...]:
    from acp_jupyter.kernel.attachments import Mentionable, mention_blocks

    client = session._client
    among = Mentionable(
        session.cwd,
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
        _show_beginning(turn, cell)
    elif cell.frontend == "terminal":
        _show_in_terminal(turn)
    else:
        _show_in_notebook(turn, cell)


def _show_beginning(turn: Turn, cell: ExecutionContext) -> None:
    """Show the start of the turn; the output is updated while the turn runs."""
    if cell.frontend == "terminal":
        print(f"Turn {turn.id[:8]} runs in the background: _acp.wait() waits for it.")  # noqa: T201
        return
    start = turn._detail
    widget = _widget(turn) if wants_widget(start, cell.can_ask) else None
    first = first_bundle(start, widget) if cell.goes_on else _OUTLASTS
    _display(first, turn, update=False)
    if cell.frontend == "voila":
        turn._widget = widget  # it shows the end too: Voilà draws no outputs but widgets anew
        return
    unseen = None
    if widget is not None:
        from acp_jupyter.kernel.turn.unseen import UnseenTurn

        unseen = UnseenTurn(turn._client)
    follower = threading.Thread(
        target=_show_end, args=(turn, widget, unseen), name="acp-background-turn", daemon=True
    )
    turn._follower = follower
    follower.start()


_OUTLASTS_WORDS = (
    "The run of this notebook ended before this turn, so its end is not here. Wait for it in a "
    "later cell, for example with _acp.wait()."
)
_OUTLASTS = Bundle(
    data={
        "text/markdown": f"*{_OUTLASTS_WORDS}*".replace("_acp", "\\_acp"),
        "text/plain": _OUTLASTS_WORDS,
    },
    metadata={},
)
"""The output of a turn that a run has started, until its end replaces it."""


def _widget(turn: Turn) -> AcpWidget:
    from acp_jupyter.kernel.turn.acp_widget import cell_widget  # anywidget, when it is needed

    return cell_widget(turn)


def _show_end(turn: Turn, widget: AcpWidget | None, unseen: UnseenTurn | None) -> None:
    """Show the final output if no page does. Runs in a thread of its own."""
    detail = turn._detail
    try:
        while detail.turn.status != "done":
            seconds = _FOLLOW_SECONDS if unseen is None else unseen.look_seconds
            detail = turn._client.turn(turn.id, seconds)
            if unseen is not None and (bundle := unseen.news(detail)) is not None:
                _display(bundle, turn, update=True)
    except AcpError:
        return
    finally:
        if widget is not None:
            end_widget(widget)
    if not detail.page_holds_notebook and detail.bundle is not None:
        _display(detail.bundle, turn, update=True)


def _show_in_terminal(turn: Turn) -> None:
    screen = TerminalScreen()
    try:
        turn._wait(None, screen.show)
    finally:
        screen.show(turn._detail)


def _show_in_notebook(turn: Turn, cell: ExecutionContext) -> None:
    start = turn._detail
    # Where nobody watches, it is shown once: nbval and others take the first display of an output.
    updates = cell.updates and (start.page_holds_notebook or cell.can_ask)
    with contextlib.ExitStack() as stack:
        widget = None
        if cell.updates and wants_widget(start, cell.can_ask):
            widget = _widget(turn)
            stack.callback(end_widget, widget)
            if updates and not turn._client.may_answer:
                from acp_jupyter.kernel.turn.unseen import told_while_waiting

                stack.enter_context(told_while_waiting(turn.id, turn.session_id))
        try:
            if updates:
                _display(first_bundle(start, widget), turn, update=False)
            turn._wait(None, None)
        except KeyboardInterrupt:
            turn.stop_soon()  # before the last look at it below
            raise
        finally:
            # A page that holds the notebook puts the final output in, also after a reload.
            page_shows = start.page_holds_notebook and turn._detail.page_holds_notebook
            if not (updates and page_shows):
                _display(turn.bundle(), turn, update=updates)


def _display(bundle: Bundle, turn: Turn, *, update: bool) -> None:
    from IPython.display import display

    display(  # type: ignore[no-untyped-call]
        dict(bundle.data),
        metadata=dict(bundle.metadata),
        raw=True,
        display_id=turn.id,
        update=update,
    )


def _warn(turn: Turn) -> None:
    if turn.stop_reason in {"refusal", "max_tokens", "max_turn_requests"}:
        # As if from the cell: a saved notebook must not show the path of this file.
        warnings.warn_explicit(turn._detail.turn.words, UserWarning, "%%acp", 1)


_MOST_CHARS = 1_000_000


def expand(prompt: str, names: Mapping[str, object]) -> str:
    """Replace each ``{name}`` by the variable, ``{name.attribute}`` and ``{name[key]}`` too.

    Raises
    ------
    BadRequest
        There is no such variable, or it can't be written.
    """
    try:
        expanded = Formatter().vformat(prompt, (), names)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - of the user's own objects
        raise BadRequest(
            f"--format can't expand the prompt: {_words(error)} Write {{{{ and }}}} for braces."
        ) from None
    if len(expanded) > _MOST_CHARS:
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
_MOST_VARIABLES = 8
_NOTHING = "Nothing has failed in this kernel yet. Run the cell that fails, then %acp fix."


def run_fix(shell: InteractiveShell, rest: Sequence[str]) -> None:
    """Send the last error; what follows is understood as in the first line of a cell.

    Raises
    ------
    UsageError
        There is no error to send.
    """
    options = parse_cell_line(shlex.join(rest))
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
    return tuple(itertools.islice(described, _MOST_VARIABLES))


def _last_error() -> BaseException:
    error = getattr(sys, "last_value", None)
    if not isinstance(error, BaseException):
        raise UsageError(_NOTHING)
    if isinstance(error, AcpError | UsageError):
        raise UsageError(f"The last error was of a magic, not of your code: {error}")
    return error


def _source(shell: InteractiveShell, error: BaseException) -> str:
    """Return the source of the cell in which the error rose; empty if that is not known."""
    source = "".join(linecache.getlines(_file(shell, error), shell.user_ns))
    return source or (isinstance(error, SyntaxError) and error.text) or ""


def _file(shell: InteractiveShell, error: BaseException) -> str:
    """Return what IPython calls the file of that cell; empty if that is not known."""
    for frame in _frames(error.__traceback__):
        if frame.f_globals is shell.user_ns:
            return frame.f_code.co_filename
    return (isinstance(error, SyntaxError) and error.filename) or ""


def _cell_error(shell: InteractiveShell, error: BaseException) -> CellError:
    """Return what the turn's head says of the error, and which cell it leads to."""
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
    """Return the text without its middle, where there is too much of it."""
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
