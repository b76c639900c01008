"""Runs a command again for the user after a wall of the sandbox has stopped it.

After the user's yes, that command alone runs in a terminal of the host: outside the sandbox or, if
it would change a Python environment, in the same walls with that environment writable. The next
prompt tells the agent the result.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace

from pydantic import JsonValue

from acp_jupyter.errors import AcpError, BadRequest, NotAllowed, plain_reason
from acp_jupyter.host.bounds import DECIDED, Bounds
from acp_jupyter.host.requests.host_permissions import ALLOW, as_sent, host_call, request_for_host
from acp_jupyter.host.requests.permissions import PermissionRequests
from acp_jupyter.host.requests.policy import CHANGES_NOTHING
from acp_jupyter.host.sandbox.hosts import PYTHON_PACKAGES
from acp_jupyter.host.sandbox.sandboxes import Confined
from acp_jupyter.host.sessions.sandboxing import SessionSandbox
from acp_jupyter.host.sessions.walls_met import folder_of, is_one_command
from acp_jupyter.host.store.journal import Journal
from acp_jupyter.host.workspace.terminal_process import TerminalCommand
from acp_jupyter.host.workspace.terminals import SessionTerminals, new_terminal_id
from acp_jupyter.protocol.content import ran_block
from acp_jupyter.protocol.files import relative_path
from acp_jupyter.protocol.host_events.notes import ImportedPacket
from acp_jupyter.protocol.host_events.session import RanOutside, Wall
from acp_jupyter.protocol.objects import Obj
from acp_jupyter.system.processes.child_process import finish_cleanup
from acp_jupyter.transcript.model.tool_items import ToolCall

_MAX_RUNS = 4
"""Most commands that run at the same time."""
_MAX_RESULTS = 10
"""Newest runs that one prompt reports to the agent."""
_TOLD_CHARS = 4_000
_TOLD = "The agent gets the end of its output with your next message."
_OUTSIDE = (
    "It runs outside the agent's sandbox, with all your rights: it can read and change whatever "
    f"you can. {_TOLD}"
)
_ENVIRONMENT = (
    "It runs in the agent's sandbox. For this one command it may change the environment, too: "
    "what it installs there runs in every program that uses the environment."
)
_PACKAGES = f" It reaches {', '.join(PYTHON_PACKAGES)}, too."


class OutsideRuns:
    """Asks the user, and runs the command. Used on the host's loop.

    Parameters
    ----------
    startable
        Whether the session's agent runs here: a command from an imported log is never run.
    """

    def __init__(
        self,
        journal: Journal,
        permissions: PermissionRequests,
        terminals: SessionTerminals,
        sandbox: SessionSandbox,
        bounds: Bounds,
        *,
        startable: bool,
    ) -> None:
        self._journal = journal
        self._permissions = permissions
        self._terminals = terminals
        self._sandbox = sandbox
        self._bounds = bounds
        self._startable = startable
        self._runs: dict[str, asyncio.Task[None]] = {}
        """Running tasks, by the item id of the call."""
        self._results: list[Obj] = []

    @property
    def busy(self) -> bool:
        """Whether a command runs or waits for the user's answer."""
        return bool(self._runs)

    def turn_of(self, tool_call_id: str) -> str:
        """Return the turn of a tool call."""
        return self._journal.transcript.tool_call(tool_call_id).turn_id or ""

    def start(self, tool_call_id: str) -> None:
        """Ask whether the command of a call may run again, and run it after a yes."""
        call = self._journal.transcript.tool_call(tool_call_id)
        wall = call.wall
        if wall is None or not self._startable:
            raise BadRequest("No wall of a sandbox stopped this, so there is nothing to run again.")
        if call.id in self._runs:
            raise BadRequest("This is being asked already, or it runs.")
        if wall.run_id:
            raise BadRequest("This ran once already. Ask the agent to try it again.")
        if len(self._runs) >= _MAX_RUNS:
            raise BadRequest(f"{_MAX_RUNS} commands are asked about or run already. Wait for one.")
        self._require_allowed()
        if not wall.offers or not is_one_command(call, self._journal.transcript):
            raise BadRequest("The whole of this command is not known, so it can't be run again.")
        task = asyncio.create_task(self._run(call, wall), name=f"acp-outside-{call.id}")
        self._runs[call.id] = task
        task.add_done_callback(lambda _: self._runs.pop(call.id))

    def pop_results(self) -> tuple[Obj, ...]:
        """Return the results to put before the next prompt, and forget them."""
        results, self._results = tuple(self._results[-_MAX_RESULTS:]), []
        return results

    async def close(self) -> None:
        """Withdraw open requests; closing the session's terminals ends running commands."""
        tasks = tuple(self._runs.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _require_allowed(self) -> None:
        if "off" not in self._bounds.sandboxes:
            raise NotAllowed(f"Commands of agents run in a sandbox here. {DECIDED}")
        policy = self._permissions.requests.policy()
        if policy in CHANGES_NOTHING:
            raise NotAllowed(
                f"The policy {policy} doesn't let agents change anything, and so nothing is run "
                "for one. Change the policy first."
            )

    async def _run(self, call: ToolCall, wall: Wall) -> None:
        line, folder = call.command, folder_of(call, self._journal.transcript)
        card = self._card(line, folder)
        terminal_id = new_terminal_id()
        own: Confined | None = None

        def confine(command: TerminalCommand) -> TerminalCommand:
            if own is None:
                return command
            argv = own.command(command.argv, command.cwd)
            return replace(command, argv=argv, env=own.environment(command.env))

        async def allowed(command: TerminalCommand) -> None:
            await self._ask(card, wall)
            if command.shown != line:
                raise NotAllowed("This can't be run as it is shown.")
            self._journal.note(
                RanOutside(
                    turn_id=call.turn_id or "",
                    tool_call_id=call.tool_call_id,
                    run_id=card.tool_call_id,
                )
            )
            shown: list[JsonValue] = [{"type": "terminal", "terminalId": terminal_id}]
            self._say(card, status="in_progress", content=shown)

        try:
            if wall.offers == "environment":
                own = await self._sandbox.open_for_environment(wall.environment)
            await self._terminals.run_for_user(terminal_id, line, folder, confine, allowed)
            await self._terminals.wait(terminal_id)
            await self._remember(line, folder, terminal_id)
        except (AcpError, OSError) as error:
            words = error.message if isinstance(error, AcpError) else f"{plain_reason(error)}."
            text: JsonValue = {"type": "content", "content": {"type": "text", "text": words}}
            self._say(card, status="failed", content=[text])
        finally:
            if own is not None:
                await finish_cleanup(own.close())

    def _card(self, line: str, folder: str) -> ToolCall:
        raw: dict[str, JsonValue] = {"command": line}
        if folder.rstrip("/") != self._journal.transcript.session.cwd.rstrip("/"):
            raw["cwd"] = folder
        return host_call("execute", title=f"Run {line}", command=line, raw_input=raw)

    async def _ask(self, card: ToolCall, wall: Wall) -> None:
        """Wait until the user says yes."""
        words, reason = "Run this outside the sandbox, once?", _OUTSIDE
        if wall.offers == "environment":
            name = relative_path(wall.environment, self._journal.transcript.session.cwd)
            words = f"Let this change the environment {name}, once?"
            confined = self._sandbox.confined
            hosts = confined is not None and confined.walls.network.reach == "hosts"
            reason = f"{_ENVIRONMENT}{_PACKAGES if hosts else ''} {_TOLD}"
        option = await request_for_host(
            self._journal,
            self._permissions,
            f"o-{secrets.token_hex(6)}",
            as_sent(card),
            words=words,
            reason=reason,
            by_user=True,
        )
        if option != ALLOW:
            raise NotAllowed("Nothing was run.")
        self._require_allowed()  # the policy may have changed meanwhile

    def _say(self, card: ToolCall, **fields: JsonValue) -> None:
        facts = self._journal.transcript.calls.get(card.tool_call_id)
        if facts is not None and not self._journal.transcript.tool_call(card.tool_call_id).is_open:
            return  # the call ended with its turn
        packet: Obj = {"type": "tool_call_update", "toolCallId": card.tool_call_id, **fields}
        self._journal.note(ImportedPacket(packet=packet))

    async def _remember(self, line: str, folder: str, terminal_id: str) -> None:
        """Keep the result for the agent: without known secrets, and only the end of the output."""
        state = self._terminals.output(terminal_id)
        ended = state.exit
        code = None if ended is None else ended.exit_code
        how = "was stopped" if code is None else f"ended with exit code {code}"
        where = relative_path(folder, self._journal.transcript.session.cwd)
        cut = "…" if len(state.output) > _TOLD_CHARS or state.truncated else ""
        block = ran_block(
            f"The user has run this command for you once, in the folder {where}. It {how}.\n"
            f"Command: {line[:_TOLD_CHARS]}\nOutput:\n{cut}{state.output[-_TOLD_CHARS:]}"
        )
        clean = await asyncio.to_thread(self._journal.without_known, block)
        self._results.append(dict(clean))
