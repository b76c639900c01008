"""The tools of one session: each call checked, allowed, done, and told."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import assert_never

from acp_jupyter.errors import AcpError
from acp_jupyter.host.session import Session
from acp_jupyter.notebook import cell_doing, kernel_doing
from acp_jupyter.notebook.desk import Desk, NotDone
from acp_jupyter.notebook.gate import Gate, Refused
from acp_jupyter.notebook.kernel_runner import KernelRunner, KernelTrouble
from acp_jupyter.notebook.open_notebook import OpenNotebook
from acp_jupyter.notebook.place import Whereabouts, find_place
from acp_jupyter.notebook.reply import Reply
from acp_jupyter.notebook.running_code import RunningCode
from acp_jupyter.notebook.tools import cells, kernel
from acp_jupyter.notebook.tools.base import WrongArguments, read_input
from acp_jupyter.notebook.tools.table import TOOLS, AnyTool
from acp_jupyter.packets.json_fields import Obj

__all__ = ["SessionTools"]

_log = logging.getLogger(__name__)
_CALLS_AT_ONCE = 16
_TURN_SECONDS = 7 * 24 * 3600.0


class SessionTools:
    """Answers one session's calls. Lives on the host's loop.

    Parameters
    ----------
    session
        Whose agent calls.
    root
        Paths of notebooks are relative to it.
    where
        Which kernel runs for which notebook.
    notebooks, runner, code
        What the tools work with.
    """

    def __init__(
        self,
        session: Session,
        root: Path,
        where: Whereabouts,
        notebooks: OpenNotebook,
        runner: KernelRunner,
        code: RunningCode,
    ) -> None:
        self._session = session
        self._root = root
        self._where = where
        self._notebooks = notebooks
        self._runner = runner
        self._code = code
        self._permissions = Gate(session)
        self._calls = 0

    @property
    def available(self) -> tuple[type[AnyTool], ...]:
        """The tools that the agent may use now."""
        return tuple(TOOLS.values()) if self._session.tools_on else ()

    async def call(self, name: str, arguments: Obj) -> Reply:
        """Carry out a call; whatever goes wrong is told in words."""
        row = TOOLS.get(name)
        if not self._session.tools_on:
            return Reply.failure("The user has turned the notebook tools off for this session.")
        if row is None:
            return Reply.failure(f"There is no tool {name[:100]!r}. There are: {', '.join(TOOLS)}.")
        if self._calls >= _CALLS_AT_ONCE:
            return Reply.failure("Too many calls at once. Wait for those that are under way.")
        self._calls += 1
        try:
            return await self._until_the_turn_ends(read_input(row, arguments), arguments)
        except (WrongArguments, Refused, NotDone) as error:
            return Reply.failure(str(error))
        except KernelTrouble as error:
            return Reply.failure(f"{error.trouble}: {error.message}")
        except AcpError as error:
            return Reply.failure(error.message)
        except Exception:  # noqa: BLE001 - one call fails alone, and in words
            _log.exception("the notebook tool %s of session %s", name, self._session.session_id)
            return Reply.failure("This did not work, because of a defect in acp-jupyter.")
        finally:
            self._calls -= 1

    async def _until_the_turn_ends(self, call: AnyTool, arguments: Obj) -> Reply:
        """Carry out a call; a turn that is stopped ends it, and the code that it runs."""
        turn_id = self._session.state.active_turn_id
        work = asyncio.ensure_future(self._do(call, arguments))
        if turn_id is None:
            return await work
        end = asyncio.ensure_future(self._session.journal.wait_turn(turn_id, _TURN_SECONDS))
        try:
            await asyncio.wait((work, end), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise NotDone("The turn has ended, and this call with it.")
            return work.result()
        finally:
            work.cancel()
            end.cancel()
            await asyncio.gather(work, end, return_exceptions=True)

    async def _do(self, call: AnyTool, arguments: Obj) -> Reply:
        place = await find_place(self._session, self._root, self._where)
        desk = Desk(place, self._notebooks, self._runner, self._code, self._permissions, arguments)
        return await _do(desk, call)


async def _do(context: Desk, call: AnyTool) -> Reply:  # noqa: C901 - one flat match
    match call:
        case cells.ListCells():
            return await cell_doing.listed(context, call)
        case cells.ReadCells():
            return await cell_doing.read(context, call)
        case cells.InsertTool():
            return await cell_doing.insert(context, call)
        case cells.EditTool():
            return await cell_doing.edit(context, call)
        case cells.MoveTool():
            return await cell_doing.move(context, call)
        case cells.DeleteTool():
            return await cell_doing.delete(context, call)
        case cells.RunCells():
            return await kernel_doing.run_cells(context, call)
        case kernel.ListVariables():
            return await kernel_doing.variables(context, call)
        case kernel.Inspect():
            return await kernel_doing.inspect(context, call)
        case kernel.Complete():
            return await kernel_doing.complete(context, call)
        case kernel.RunCode():
            return await kernel_doing.run_code(context, call)
        case kernel.Interrupt():
            return await kernel_doing.interrupt(context, call)
        case kernel.RestartKernel():
            return await kernel_doing.restart(context, call)
        case _:
            assert_never(call)
