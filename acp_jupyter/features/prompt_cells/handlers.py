"""Runs prompt cells without their kernels, with the options and attachments of the magic."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from acp_jupyter.api.access import UserCaller
from acp_jupyter.api.attachments import (
    Mentionable,
    Without,
    mention_blocks,
    mentioned_words,
    with_attachments,
)
from acp_jupyter.api.cell_options import CellOptions, cell_help, parse_cell_line, split_cell
from acp_jupyter.api.commands.handler_context import HandlerContext
from acp_jupyter.api.models.command_row import handles
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.sessions import CreateSession, RewindReply, SetConfig
from acp_jupyter.api.models.turns import PromptSession
from acp_jupyter.api.settings import Settings, split_setting
from acp_jupyter.errors import BadLine, EmptyPrompt, FileMissing
from acp_jupyter.features.prompt_cells.commands import (
    PromptCell,
    PromptCellTurn,
    ReadPromptCell,
    RunPromptCell,
)
from acp_jupyter.host.sessions.session import Session
from acp_jupyter.protocol.formatting import shorten_end
from acp_jupyter.protocol.host_events.notes import Origin
from acp_jupyter.transcript.escaping import without_ansi
from acp_jupyter.transcript.model.session_state import SessionState

_NAME = re.compile(r"[^\W\d][\w.]*|\.[^\W\d][\w.]*")
_MAX_NAMES = 20
_DEFAULT_AGENT = "demo"
_WORDS_CHARS = 8_000


def handlers(context: HandlerContext) -> tuple[object, ...]:
    """Make them."""
    return (PromptCells(context),)


class PromptCells:
    """Carries out ``read_prompt_cell`` and ``run_prompt_cell``. Lives on the host's loop."""

    def __init__(self, context: HandlerContext) -> None:
        self._host = context.host
        self._notebooks = context.notebooks
        self._run = context.run

    @handles(ReadPromptCell)
    async def read(self, command: ReadPromptCell, caller: UserCaller) -> PromptCell:
        """Read a cell, without effect."""
        options, prompt = _parsed(command.source)
        if options.help:
            return PromptCell(help=cell_help())
        words = (word for word in mentioned_words(prompt) if _NAME.fullmatch(word))
        names = dict.fromkeys((*options.var, *words))
        return PromptCell(names=tuple(names)[: len(options.var) + _MAX_NAMES])

    @handles(RunPromptCell)
    async def run(self, command: RunPromptCell, caller: UserCaller) -> PromptCellTurn:
        """Open the session and send the prompt."""
        options, prompt = _parsed(command.source)
        _refuse_python(options)
        if not prompt.strip():
            raise EmptyPrompt("The prompt is empty. Below the first line, write what to do.")
        _require_variables(options.var, command)
        state = await self._session(command, options, caller)
        state, words = await self._prepared(state, command, options, caller)
        session = self._host.sessions.require(state.session_id)
        session.tools_on = not options.no_tools and not session.tools_refused
        await self._configure(session, options, caller)
        prompted = await self._blocks(session, command, options, prompt, caller)
        without = await self._without(command.notebook_path, options)
        prompted = without.kept(prompted, *options.var)
        sent = PromptSession(
            session_id=session.session_id,
            prompt=prompted if len(prompted) > 1 else prompt,
            policy=options.policy,
            sandbox=options.sandbox,
            origin=Origin(
                notebook_path=command.notebook_path,
                cell_id=command.cell_id,
                source=command.source,
            ),
            can_ask=command.can_ask,
            allow=options.allow,
            deny=options.deny,
            limit=options.limit,
            unpinned=without.unpinned,
        )
        reply = await self._run(sent, caller)
        assert isinstance(reply, dict)
        return PromptCellTurn(
            session_id=session.session_id,
            turn_id=reply["turn_id"],
            background=options.background,
            timeout=options.timeout,
            words=words,
        )

    async def _session(
        self, command: RunPromptCell, options: CellOptions, caller: UserCaller
    ) -> SessionState:
        """Return the notebook's session for the cell, found or created."""
        create = CreateSession(
            agent=options.agent or self._usual_agent(command.notebook_path),
            notebook_path=command.notebook_path,
            cwd=command.cwd,
            label=options.session,
            new=options.new,
            # For another sandbox than the session's, the agent starts with the prompt.
            start="background" if options.sandbox is None else "lazy",
            in_copy=None if options.sandbox is None else options.sandbox == "copy",
            # The words of a cell are not remembered as the user's own trust in the folder.
            ask_trust=command.can_ask or options.trust,
            tools=not options.no_tools,
        )
        state = await self._run(create, caller)
        assert isinstance(state, SessionState)
        session = self._host.sessions.require(state.session_id)
        trust = session.turns.permissions.trust
        if options.trust and trust is not None:
            trust.grant(caller.answerer)
        if options.network is not None:
            session.set_network(options.network, by_user=False)
        return state

    def _usual_agent(self, notebook_path: str) -> str:
        """Return the agent of the notebook's newest session for cells that name none."""
        of_cells = self._host.sessions.of_cells()
        own = [
            session.state
            for session in self._host.sessions.values()
            if session.session_id in of_cells and session.state.notebook_path == notebook_path
        ]
        newest = max(own, key=lambda state: state.updated_at or 0.0, default=None)
        return _DEFAULT_AGENT if newest is None else newest.agent

    async def _prepared(
        self,
        state: SessionState,
        command: RunPromptCell,
        options: CellOptions,
        caller: UserCaller,
    ) -> tuple[SessionState, str]:
        """Do what features do before the prompt is sent; return the session that gets it."""
        words = []
        for each in options.prepare:
            turns = self._host.sessions.require(state.session_id).transcript.turns
            first = each.command(state.session_id, turns.values(), command.cell_id)
            if first is not None:
                reply = await self._run(first, caller)
                assert isinstance(reply, RewindReply)
                state = reply.session
                words.append(reply.words)
        return state, "\n".join(words)

    async def _configure(self, session: Session, options: CellOptions, caller: UserCaller) -> None:
        config = tuple(split_setting(each) for each in options.config)
        settings = Settings(options.mode, options.model, config)
        if settings.is_empty:
            return
        await session.start()  # what the agent offers is known once it runs
        if changes := settings.changes(session.state):
            change = SetConfig(
                session_id=session.session_id, mode=changes.mode, config=changes.config
            )
            await self._run(change, caller)

    async def _blocks(
        self,
        session: Session,
        command: RunPromptCell,
        options: CellOptions,
        prompt: str,
        caller: UserCaller,
    ) -> tuple[dict[str, JsonValue], ...]:
        """Return the prompt with its attachments, as the magic sends them."""
        state = session.state
        files = Path(state.copied or state.cwd)
        here = (self._host.config.root / command.notebook_path).parent
        blocks: tuple[dict[str, JsonValue], ...] = ({"type": "text", "text": prompt},)
        if options.attach:
            await session.start()  # what it takes is known once it runs
            takes = session.state.prompt_capabilities
            blocks = await asyncio.to_thread(
                with_attachments, prompt, options.attach, files, takes, here
            )
        known = {name: _shown(words) for name, words in command.variables.items()}
        asked = (name for name in options.var if name not in options.without)
        described = [known[name] for name in dict.fromkeys(asked)]
        if described:
            text = "\n\n".join(("Variables of the notebook's kernel:", *described))
            blocks = (*blocks, {"type": "text", "text": text})
        if "@" in prompt:
            cells = await self._notebooks.cells(command.notebook_path)
            among = Mentionable(
                files, command.notebook_path, known.get, _Numbered(cells).cell, here
            )
            blocks = (*blocks, *await asyncio.to_thread(mention_blocks, prompt, among))
        return blocks

    async def _without(self, notebook_path: str, options: CellOptions) -> Without:
        """Return what the first line leaves out."""
        cells = await self._notebooks.contexts(notebook_path) if options.without else ()
        return Without.of(options.without, cells)


class _Numbered:
    """The cells of a notebook by their numbers."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = cells

    def cell(self, number: int) -> Cell:
        """Return a cell, counted from 1."""
        if not 0 < number <= len(self._cells):
            raise FileMissing(f"There is no cell {number}.")
        return self._cells[number - 1].for_agents()


def _parsed(source: str) -> tuple[CellOptions, str]:
    """Return the options of a cell, and its prompt."""
    parts = split_cell(source)
    if parts is None:
        raise BadLine("A prompt cell begins with %%acp.")
    line, prompt = parts
    return parse_cell_line(line), prompt


def _shown(words: str) -> str:
    """Return what a kernel says about a variable, as text of a bounded length."""
    return shorten_end(without_ansi(words).strip(), _WORDS_CHARS)


def _refuse_python(options: CellOptions) -> None:
    """Refuse options that need variables of a Python kernel."""
    asked = {
        "--out": options.out is not None,
        "--format": options.format,
        "" if options.feature is None else options.feature.option: options.feature is not None,
    }
    for option, given in asked.items():
        if given:
            raise BadLine(
                f"{option} needs a Python kernel with acp-jupyter, and this notebook has another "
                "kernel. Leave it out."
            )


def _require_variables(names: Sequence[str], command: RunPromptCell) -> None:
    missing = [name for name in dict.fromkeys(names) if name not in command.variables]
    if missing:
        words = f"The kernel knows no variable {missing[0]!r}, or can't describe it."
        raise BadLine(f"{command.unknown or words} Leave out --var {missing[0]}.")
