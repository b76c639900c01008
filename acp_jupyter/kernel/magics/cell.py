"""A ``%%acp`` cell: build the prompt, send it, display the turn, wait for its end.

With ``--format`` the notebook's variables are written into the prompt.
"""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Mapping
from string import Formatter
from typing import TYPE_CHECKING

from acp_jupyter.errors import AcpError, BadRequest
from acp_jupyter.kernel.describing.variables import describe_names
from acp_jupyter.kernel.execution_context import ExecutionContext, execution_context
from acp_jupyter.kernel.session.connect import connect
from acp_jupyter.kernel.session.settings import Settings, defaults, split_setting
from acp_jupyter.kernel.turn.display import TerminalScreen, first_bundle, make_widget, wants_widget
from acp_jupyter.kernel.turn.turn import Turn

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from acp_jupyter.kernel.magics.cell_options import CellOptions
    from acp_jupyter.kernel.turn.widgets import TurnWidget
    from acp_jupyter.transcript.output.bundle import Bundle


_FOLLOW_SECONDS = 20.0


def run_cell(shell: InteractiveShell, options: CellOptions, prompt: str) -> None:
    """Send a prompt, show its turn and wait for the end.

    Raises
    ------
    TurnError
        The turn ended in an error; its output shows it.
    KeyboardInterrupt
        The kernel was interrupted; the turn is stopped.
    """
    cell = execution_context()
    if options.format:
        prompt = expand(prompt, shell.user_ns)
    variables = describe_names(options.var, shell.user_ns) if options.var else ()
    more = bool(options.attach or variables)
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
    turn = session.prompt(
        session.with_context(prompt, options.attach, variables) if more else prompt,
        policy=options.policy or defaults.policy,
        allow=options.allow,
        deny=options.deny,
        timeout=options.timeout,
    )
    try:
        _show(shell, turn, options, cell)
    except KeyboardInterrupt:
        turn.stop_soon()  # wherever it struck
        raise
    if not options.background:
        turn.raise_for_error()
        _warn(turn)


def _show(
    shell: InteractiveShell, turn: Turn, options: CellOptions, cell: ExecutionContext
) -> None:
    names = {"_acp": turn} | ({options.out: turn} if options.out else {})
    shell.push(names, interactive=False)  # type: ignore[no-untyped-call]
    if options.background:
        _show_beginning(turn, cell)
    elif cell.frontend == "terminal":
        _show_in_terminal(turn)
    else:
        _show_in_notebook(turn, cell)


def _show_beginning(turn: Turn, cell: ExecutionContext) -> None:
    """Show the turn as it begins; its output is brought up to date wherever it is live."""
    if cell.frontend == "terminal":
        print(f"Turn {turn.id[:8]} runs in the background: _acp.wait() waits for it.")  # noqa: T201
        return
    start = turn._detail
    widget = make_widget(turn._client, start) if wants_widget(start, cell.can_ask) else None
    _display(first_bundle(start, widget), turn, update=False)
    follower = threading.Thread(
        target=_show_end, args=(turn, widget), name="acp-background-turn", daemon=True
    )
    turn._follower = follower
    follower.start()


def _show_end(turn: Turn, widget: TurnWidget | None) -> None:
    """Put the final output in where no page does it. Runs in a thread of its own."""
    detail = turn._detail
    try:
        while detail.turn.status != "done":
            detail = turn._client.turn(turn.id, _FOLLOW_SECONDS)
    except AcpError:
        return
    finally:
        if widget is not None:
            widget.end()
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
    with contextlib.ExitStack() as stack:
        widget = None
        if wants_widget(start, cell.can_ask):
            widget = make_widget(turn._client, start)
            stack.callback(widget.end)
        try:
            _display(first_bundle(start, widget), turn, update=False)
            turn._wait(None, None)
        except KeyboardInterrupt:
            turn.stop_soon()  # before the last look at it below
            raise
        finally:
            # A page that holds the notebook puts the final output in, also after a reload.
            if not (start.page_holds_notebook and turn._detail.page_holds_notebook):
                _display(turn.bundle(), turn, update=True)


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
        # As if from the cell: the path of this file has no place in a saved notebook.
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
                return f"{name}: {error}."
    except Exception:  # noqa: BLE001 - the error can't be written either
        return f"{name}."
