"""The tools of one session: checks each call, carries it out and replies."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import assert_never

from acp_jupyter.errors import AcpError
from acp_jupyter.host.session.session import Session
from acp_jupyter.notebook_tools import cell_tools, kernel_tools, tools
from acp_jupyter.notebook_tools.context import (
    CallContext,
    KernelLookup,
    NotebookAccess,
    ToolError,
    find_target,
)
from acp_jupyter.notebook_tools.kernel_runner import KernelError, KernelRunner, RunningCode
from acp_jupyter.notebook_tools.outputs import Reply
from acp_jupyter.notebook_tools.tool_permissions import ToolPermissions, ToolRefused
from acp_jupyter.notebook_tools.tools import TOOLS, AnyTool, WrongArguments, read_input
from acp_jupyter.protocol.objects import Obj

_log = logging.getLogger(__name__)
_CALLS_AT_ONCE = 16
_TURN_SECONDS = 7 * 24 * 3600.0


class SessionTools:
    """Answers one session's calls. Used on the host's loop only.

    Parameters
    ----------
    session
        The session whose agent calls.
    root
        The folder that paths of notebooks are relative to.
    where
        Finds the kernel of a notebook.
    notebooks, runner, code
        Access to notebooks and kernels.
    """

    def __init__(
        self,
        session: Session,
        root: Path,
        where: KernelLookup,
        notebooks: NotebookAccess,
        runner: KernelRunner,
        code: RunningCode,
    ) -> None:
        self._session = session
        self._root = root
        self._where = where
        self._notebooks = notebooks
        self._runner = runner
        self._code = code
        self._permissions = ToolPermissions(session)
        self._calls = 0

    @property
    def available(self) -> tuple[type[AnyTool], ...]:
        """The tools that the agent may use now."""
        return tuple(TOOLS.values()) if self._session.tools_on else ()

    async def call(self, name: str, arguments: Obj) -> Reply:
        """Carry out a call; an error gives a reply with a message."""
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
        except (WrongArguments, ToolRefused, ToolError) as error:
            return Reply.failure(str(error))
        except KernelError as error:
            return Reply.failure(f"{error.trouble}: {error.message}")
        except AcpError as error:
            return Reply.failure(error.message)
        except Exception:  # noqa: BLE001 - one call fails alone, and in words
            _log.exception("the notebook tool %s of session %s", name, self._session.session_id)
            return Reply.failure("This did not work, because of a defect in acp-jupyter.")
        finally:
            self._calls -= 1

    async def _until_the_turn_ends(self, call: AnyTool, arguments: Obj) -> Reply:
        """Carry out a call; a stopped turn ends the call and the code that it runs."""
        turn_id = self._session.state.active_turn_id
        work = asyncio.ensure_future(self._do(call, arguments))
        if turn_id is None:
            return await work
        end = asyncio.ensure_future(self._session.journal.wait_turn(turn_id, _TURN_SECONDS))
        try:
            await asyncio.wait((work, end), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ToolError("The turn has ended, and this call with it.")
            return work.result()
        finally:
            work.cancel()
            end.cancel()
            await asyncio.gather(work, end, return_exceptions=True)

    async def _do(self, call: AnyTool, arguments: Obj) -> Reply:
        place = await find_target(self._session, self._root, self._where)
        desk = CallContext(
            place, self._notebooks, self._runner, self._code, self._permissions, arguments
        )
        return await _do(desk, call)


async def _do(context: CallContext, call: AnyTool) -> Reply:  # noqa: C901 - one flat match
    match call:
        case tools.ListCells():
            return await cell_tools.list_cells(context, call)
        case tools.ReadCells():
            return await cell_tools.read_cells(context, call)
        case tools.InsertTool():
            return await cell_tools.insert_cell(context, call)
        case tools.EditTool():
            return await cell_tools.edit_cell(context, call)
        case tools.MoveTool():
            return await cell_tools.move_cell(context, call)
        case tools.DeleteTool():
            return await cell_tools.delete_cell(context, call)
        case tools.RunCells():
            return await kernel_tools.run_cells(context, call)
        case tools.ListVariables():
            return await kernel_tools.list_variables(context, call)
        case tools.Inspect():
            return await kernel_tools.inspect(context, call)
        case tools.Complete():
            return await kernel_tools.complete(context, call)
        case tools.RunCode():
            return await kernel_tools.run_code(context, call)
        case tools.Interrupt():
            return await kernel_tools.interrupt(context, call)
        case tools.RestartKernel():
            return await kernel_tools.restart_kernel(context, call)
        case _:
            assert_never(call)
