"""The options ``--try`` and ``--restore`` in the first line of a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_jupyter.errors import BadLine

if TYPE_CHECKING:
    import argparse

    from IPython.core.interactiveshell import InteractiveShell

    from acp_jupyter.api.cell_options import CellOptions
    from acp_jupyter.features.variants.commands import Restore

_RESTORES: tuple[Restore, ...] = ("dill", "rerun", "none")


@dataclass(frozen=True, slots=True)
class TryOptions:
    """The agents that try a cell's prompt."""

    agents: tuple[str, ...]
    restore: Restore | None = None
    """How to restore variables in the variants' kernels."""

    @property
    def option(self) -> str:
        """The option that makes the cell such a try."""
        return "--try"

    def run(self, shell: InteractiveShell, options: CellOptions, prompt: str) -> None:
        """Let each try the prompt."""
        from acp_jupyter.features.variants.cell import run_try

        run_try(shell, options, prompt, self.agents, self.restore)


class _Try:
    """A `CellFeature`."""

    after = "--background"
    options = ("--try", "--restore")
    flags = ("--try",)
    choices: Mapping[str, tuple[str, ...]] = {"--restore": _RESTORES}

    def add_arguments(self, group: argparse._ArgumentGroup) -> None:
        """Add the options to the parser."""
        group.add_argument(
            "--try",
            dest="several",
            action="store_true",
            help="let several agents try it, each in a copy of the folder: claude, codex, or with "
            "models claude:opus, claude:haiku; keep the best",
        )
        group.add_argument(
            "--restore",
            metavar="HOW",
            help="with --try: what the kernel of each begins with. dill: copies of the variables "
            "(the default where dill is installed); rerun: the cells above run again; none: "
            "nothing",
        )

    def read(self, given: argparse.Namespace, rest: list[str]) -> TryOptions | None:
        """Return what was asked for; None without ``--try``. Commas part the agents."""
        agents = _agents(given, rest) if given.several else ()
        restore = _restore(given.restore, agents)
        return TryOptions(agents, restore) if agents else None

    def prepare(self, given: argparse.Namespace) -> None:
        """It has sessions of its own."""


TRY = _Try()


def _agents(given: argparse.Namespace, rest: list[str]) -> tuple[str, ...]:
    if given.session or given.new or getattr(given, "rewind", False):
        raise BadLine("--try starts sessions of its own: leave out --session, --new and --rewind.")
    words = " ".join(filter(None, (given.agent, *rest)))
    agents = tuple(each.strip() for each in words.split(",") if each.strip())
    if words := next((each for each in agents if " " in each), ""):
        raise BadLine(f"Put a comma between the agents: {', '.join(words.split())}.")
    if len(agents) < 2:
        raise BadLine(
            "--try needs two agents or more: %%acp claude, codex --try. The same one again is fine."
        )
    return agents


def _restore(text: str | None, agents: tuple[str, ...]) -> Restore | None:
    if text is None:
        return None
    found = next((each for each in _RESTORES if each == text), None)
    if found is None:
        raise BadLine(f"There is no --restore {text!r}. Type one of: {', '.join(_RESTORES)}.")
    if not agents:
        raise BadLine("--restore is about the kernels of --try: leave it out, or add --try.")
    return found
