"""A ``%%acp … --try`` cell: one prompt for several agents, each in a copy of the folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_jupyter.api.settings import Settings, split_setting
from acp_jupyter.features.variants.kernel import Variants, make_variants, send_all
from acp_jupyter.kernel.execution_context import ExecutionContext, execution_context
from acp_jupyter.kernel.magics.cell import described_variables, expand, prompt_command, warn
from acp_jupyter.kernel.magics.turn_output import ShownTurn, show_beginning, show_in_terminal
from acp_jupyter.system.printing import echo

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from acp_jupyter.api.cell_options import CellOptions
    from acp_jupyter.features.variants.commands import Restore
    from acp_jupyter.kernel.session import Session
    from acp_jupyter.kernel.turn.turn import Turn

_WITHOUT_DILL = (
    "To give the variants copies of your variables, run `%pip install dill` first. To run the "
    "cells above again in each variant, add `--restore rerun`."
)
_KEEP = "To keep the changes of the first variant, run `_acp[0].keep()`."


def run_try(
    shell: InteractiveShell,
    options: CellOptions,
    prompt: str,
    agents: Sequence[str],
    restore: Restore | None,
) -> None:
    """Send a prompt to several agents, show their turns and wait for all ends."""
    cell = execution_context()
    written = prompt
    if options.format:
        prompt = expand(prompt, shell.user_ns)
    variables = described_variables(shell, options)
    config = tuple(split_setting(each) for each in options.config)
    with _Progress(cell) as progress:
        sessions = make_variants(
            agents,
            trust=options.trust,
            tools=not options.no_tools,
            restore=restore,
            sandbox=options.sandbox,
            network=options.network,
            settings=Settings(options.mode, options.model, config),
            report=progress.show,
        )

    def send(session: Session) -> Turn:
        command = prompt_command(shell, session, options, prompt, variables, written)
        return session._send(command, options.timeout)

    variants = send_all(sessions, send)
    shell.push({"_acp": variants}, interactive=False)  # type: ignore[no-untyped-call]
    if options.out:
        shell.push({options.out: variants})  # type: ignore[no-untyped-call]
    try:
        _show(variants, cell, options, restore)
    except KeyboardInterrupt:
        variants.cancel()
        for turn in variants:
            turn.stop_soon()
        raise


def _show(
    variants: Variants, cell: ExecutionContext, options: CellOptions, restore: Restore | None
) -> None:
    _print(_about(variants, restore), cell)
    if options.background and cell.goes_on:
        for turn in variants:
            show_beginning(turn, cell)
        return
    if cell.frontend == "terminal":
        for turn in variants:
            echo(f"── {_row_name(turn)}")
            show_in_terminal(turn)
    else:
        _show_in_notebook(variants, cell)
    _print(f"{variants.to_markdown(times=cell.frontend == 'terminal')}\n\n{_KEEP}", cell)
    variants.raise_for_error()
    for turn in variants:
        warn(turn)


def _show_in_notebook(variants: Variants, cell: ExecutionContext) -> None:
    shown = [ShownTurn(turn, cell) for turn in variants]
    try:
        for each in shown:
            each.begin()
        variants._wait(None)
    except KeyboardInterrupt:
        variants.cancel()  # all at once, before one after the other is waited for
        for turn in variants:
            turn.stop_soon()
        raise
    finally:
        for each in shown:
            each.end()


def _about(variants: Variants, restore: Restore | None) -> str:
    """Return notes about the copies of the folder."""
    variant = variants[0]._detail.session.variant
    assert variant is not None
    words = [f"Each variant works in a copy of the folder. {variant.kernel}"]
    if variant.begins_empty and restore is None:
        words.append(_WITHOUT_DILL)
    return " ".join((*words, variant.left_out)).strip()


def _row_name(turn: Turn) -> str:
    return f"Variant {turn._detail.turn.variant}: {turn._detail.session.agent_info.name}"


def _print(words: str, cell: ExecutionContext) -> None:
    if cell.frontend == "terminal":
        echo(words)
        return
    from IPython.display import Markdown, display

    display(Markdown(words))  # type: ignore[no-untyped-call]


class _Progress:
    """A status line about the preparations, removed when the turns begin."""

    def __init__(self, cell: ExecutionContext) -> None:
        self._cell = cell
        self._printed = False

    def __enter__(self) -> _Progress:
        return self

    def show(self, words: str) -> None:
        """Show what is done now."""
        if self._cell.frontend == "terminal":
            echo(f"{words} …")
        elif self._cell.updates:
            echo(f"\r{words} …", end="", flush=True)
            self._printed = True

    def __exit__(self, *_exception: object) -> None:
        if self._printed:
            from IPython.display import clear_output

            clear_output(wait=True)  # type: ignore[no-untyped-call]
