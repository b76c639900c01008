"""The Jupyter server extension: its configuration, start, stop and routes."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from jupyter_core.paths import (
    jupyter_config_dir,
    jupyter_config_path,
    jupyter_data_dir,
    jupyter_runtime_dir,
)
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp
from traitlets import Bool, Dict, Enum, Float, List, Unicode

from acp_jupyter.api.access import KernelCaller, UserCaller
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.kernel_auth import URL_VARIABLE
from acp_jupyter.api.models.command_row import Result
from acp_jupyter.api.models.command_table import Command
from acp_jupyter.api.models.documents import Cell, ReadNotebook
from acp_jupyter.api.models.turns import GetTurn, TurnDetail
from acp_jupyter.api.pages import PageDocuments, Pages
from acp_jupyter.errors import BadRequest
from acp_jupyter.features import registered
from acp_jupyter.host.bounds import (
    LEVELS,
    MASKS_VARIABLE,
    NETWORKS,
    POLICIES,
    SANDBOXES,
    Bounds,
)
from acp_jupyter.host.config import HostConfig, acp_servers
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.limits import Limits
from acp_jupyter.host.public_registry.newer import REGISTRY_URL
from acp_jupyter.host.registry import Registry
from acp_jupyter.host.registry_entries import EntryPointAgents
from acp_jupyter.host.store.journal import Reader
from acp_jupyter.host.store.permission_stores import TrustStore
from acp_jupyter.host.workspace.folders import jupyter_folders
from acp_jupyter.notebook_tools.kernel_work import WaitingCells
from acp_jupyter.notebook_tools.mcp_endpoint import NotebookTools
from acp_jupyter.notebook_tools.notebooks import FileNotebooks, Notebooks, NotebooksInPages
from acp_jupyter.protocol.host_events.session import Network, Sandbox
from acp_jupyter.server.auth import ServerSecrets, user_caller
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.finished_outputs import FinishedOutputs
from acp_jupyter.server.handlers import handlers, page_handlers
from acp_jupyter.server.kernel.remote import RemoteKernels
from acp_jupyter.server.kernel_runner import ServerKernelRunner
from acp_jupyter.server.kernels import Activity, Kernels, ServerKernelLookup, know_magics
from acp_jupyter.server.login_terminals import LoginTerminals
from acp_jupyter.server.monitoring.metrics import SessionMetrics
from acp_jupyter.server.monitoring.traces import begin_traces
from acp_jupyter.server.moved_notebooks import MovedNotebooks
from acp_jupyter.server.page_keys import PageKeys
from acp_jupyter.server.part import ServerContext, ServerPart
from acp_jupyter.server.registry_updates import keep_current, public_agents
from acp_jupyter.server.system_bounds import bounds_of
from acp_jupyter.server.user_saves import UserSaves
from acp_jupyter.system.portable import untried

_TOKEN_VARIABLES = ("JUPYTER_TOKEN", "JUPYTER_TOKEN_FILE")
_SWITCH_SECONDS = 0.0005
"""How long one thread may compute while others wait, so that the server answers while a session's
thread parses messages. Python's default of 5 ms adds up, as an answer switches threads often."""
_EVERY_ADDRESS = {"", "*", "0.0.0.0"}  # noqa: S104 - compared, not bound


class AcpJupyter(ExtensionApp):
    """Agents of the Agent Client Protocol, in notebook cells and in a side panel."""

    name = "acp_jupyter"

    agents = Dict(
        help="""
        Agents by id, beside the bundled ``demo``, e.g.
        ``{"claude": {"command": "claude-agent-acp", "args": [], "env": {}}}``.
        """
    ).tag(config=True)

    mcp_servers = Dict(
        help="""
        MCP servers that every agent is to use beside its own, by name, e.g.
        ``{"papers": {"command": "papers-mcp", "args": [], "env": {}}}`` or
        ``{"wiki": {"type": "http", "url": "https://…", "headers": {}}}``; kinds that an agent does
        not take are left out for it.
        """
    ).tag(config=True)

    notebook_tools = Bool(
        True,
        help="Whether agents get tools for the cells and the kernel of their notebook.",
    ).tag(config=True)

    lazy_magics = Bool(
        True,
        help="""
        Whether Python kernels that this server starts know ``%acp`` and ``%%acp`` without
        ``%load_ext acp_jupyter``. The package is imported when a magic is first used.
        """,
    ).tag(config=True)

    data_dir = Unicode(
        help="Where sessions are kept; default: acp-jupyter in Jupyter's data directory."
    ).tag(config=True)

    trusted_folders = List(
        Unicode(),
        help="""
        Folders, with all below them, in which agents may run without asking. In other folders the
        user is asked before an agent's first start.
        """,
    ).tag(config=True)

    allowed_agents = List(
        Unicode(),
        ["*"],
        help="""
        Ids of the agents that may run, as patterns, e.g. ``["demo", "claude*"]``. This setting and
        those named ``allow…`` below are bounds: what the machine's configuration (for example
        ``/etc/jupyter/jupyter_server_config.py``) forbids, a user's can't allow.
        """,
    ).tag(config=True)

    allowed_remote_hosts = List(
        Unicode(), ["*"], help="Hosts of agents that run elsewhere, as patterns."
    ).tag(config=True)

    allowed_policies = List(
        Unicode(),
        [str(policy) for policy in POLICIES],
        help="Policies that people and notebooks may choose.",
    ).tag(config=True)

    allowed_sandboxes = List(
        Unicode(),
        [str(sandbox) for sandbox in SANDBOXES],
        help="Sandboxes that people and notebooks may choose.",
    ).tag(config=True)

    required_sandbox_level = Enum(
        [str(level) for level in LEVELS],
        "none",
        help="""
        How well a sandbox must be kept, ``full`` or ``partial``; where it can't be, no agent is
        started in one. With ``none`` it starts all the same, and that is said beside the policy.
        """,
    ).tag(config=True)

    sandbox = Enum(
        [str(sandbox) for sandbox in SANDBOXES],
        "off",
        help="The sandbox of new sessions, where none is named.",
    ).tag(config=True)

    network = Enum(
        [str(network) for network in NETWORKS],
        "all",
        help="""
        What agents in a sandbox reach, where nobody says otherwise: ``all``, ``none``, or ``hosts``
        that are named and those that somebody allows.
        """,
    ).tag(config=True)

    allow_downloads = Bool(True, help="Whether agents may be downloaded.").tag(config=True)

    newer_registry = Bool(
        False,
        help="""
        Whether this server may download a newer list of the public registry, at its start, once a
        day and when you ask for it. ``allow_downloads`` covers it too.
        """,
    ).tag(config=True)

    registry_url = Unicode(
        REGISTRY_URL, help="Where the public registry, or a mirror of it, is published."
    ).tag(config=True)

    allow_mcp_commands = Bool(
        True, help="Whether ``mcp_servers`` may name programs; others are left out."
    ).tag(config=True)

    allow_attachments = Bool(
        True, help="Whether prompts may carry files, variables, cells and images."
    ).tag(config=True)

    allow_unasked_modes = Bool(
        True,
        help="""
        Whether agents may work in modes in which they don't ask about everything, such as
        ``bypassPermissions``.
        """,
    ).tag(config=True)

    required_masks = List(
        Unicode(),
        help="""
        Columns of tables whose values no agent reads, as patterns without case, for example
        ``["email", "*_ssn"]``: in descriptions of variables, tables and errors of the kernels that
        this server starts. Those of the machine's configuration and of the user's both count.
        """,
    ).tag(config=True)

    turn_limit = Unicode(
        help="""
        The most that a turn may use, e.g. ``30 min, 200 calls``; then it is stopped. People can set
        tighter limits. Tokens and money hold for agents that report them while they work.
        """,
    ).tag(config=True)

    instructions = Unicode(
        help="""
        What all agents are told, beside their own instructions: as a system prompt where an agent
        takes one, else before the first prompt. Those of the machine's configuration and of the
        user's both count.
        """
    ).tag(config=True)

    initialize_seconds = Float(
        60.0, help="How long an agent may take to answer initialize after it has started."
    ).tag(config=True)

    session_new_seconds = Float(60.0, help="How long an agent may take to open a session.").tag(
        config=True
    )

    waiting_hours = Float(
        24.0,
        help="""
        For how many hours a turn that waits for its user's answer keeps the server, and the
        notebook's kernel, from being culled as idle; so does what an agent says goes on in the
        background.
        """,
    ).tag(config=True)

    ping_seconds = Float(
        15.0, help="How long a stream of packets may be silent before it sends a ping."
    ).tag(config=True)

    _begun = False
    _keeping: asyncio.Task[None] | None = None
    _remote: RemoteKernels | None = None

    def initialize_settings(self) -> None:
        """Let the server answer while a session's thread computes."""
        sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_SECONDS))
        if notice := untried(sys.platform):
            self.log.warning("acp-jupyter: %s", notice)

    def initialize_handlers(self) -> None:
        """Start the host and add the routes."""
        serverapp = self._server()
        root = _root(serverapp)
        data_dir = Path(self.data_dir or Path(jupyter_data_dir()) / "acp-jupyter")
        own_folders, caches = jupyter_folders(
            (jupyter_data_dir(), jupyter_config_dir(), jupyter_runtime_dir()),
            os.environ,
            Path.home(),
        )
        pages = Pages(lambda path: _server_path(root, path))
        kernels = self._kernels(serverapp)
        bounds = self._bounds()
        cells = WaitingCells()
        self.kernel_runner = ServerKernelRunner(serverapp.kernel_manager, cells, self._remote)
        self._notebook_kernels = ServerKernelLookup(kernels)
        limits = Limits(
            initialize_seconds=self.initialize_seconds,
            session_new_seconds=self.session_new_seconds,
            ping_seconds=self.ping_seconds,
        )
        files = FileNotebooks(root, limits)
        notebooks = Notebooks(files, NotebooksInPages(pages))
        context = ServerContext(serverapp, self.kernel_runner, limits)
        self._parts: dict[str, ServerPart] = {
            name: make(context) for name, make in registered("server").items()
        }
        tools = NotebookTools(root, self._notebook_kernels, notebooks, self.kernel_runner)
        host = AgentHost(
            HostConfig(
                registry=Registry(
                    self.agents,
                    [Path(path) for path in jupyter_config_path()],
                    points=EntryPointAgents(),
                    public=public_agents(
                        data_dir,
                        self.registry_url,
                        newer=self.newer_registry and bounds.downloads,
                    ),
                    bounds=bounds,
                ),
                root=root,
                data_dir=data_dir,
                own_folders=own_folders,
                runtime_folder=Path(jupyter_runtime_dir()),
                sandbox=cast("Sandbox", self.sandbox),
                network=cast("Network", self.network),
                caches=caches,
                trust=TrustStore(data_dir / "trust.json", self.trusted_folders),
                documents=PageDocuments(pages),
                mcp_servers=self._mcp_servers(bounds),
                bounds=bounds,
                limits=limits,
                tools=tools if self.notebook_tools else None,
                observers=self._observers(),
                parts=self._parts,
            )
        )
        settings = serverapp.web_app.settings
        # JupyterLab passes it to its pages, Notebook 7 does not.
        page_config = settings.setdefault("page_config_data", {})
        for name, value in {
            "serverRoot": str(settings["server_root_dir"]).replace(os.sep, "/"),
            "acpPolicies": ",".join(bounds.policies),
            "acpSandboxes": ",".join(bounds.sandboxes),
        }.items():
            page_config.setdefault(name, value)
        self._terminals = LoginTerminals(lambda: settings.get("terminal_manager"))
        dispatcher = Dispatcher(host, _NotebookLookup(pages, kernels, files, root), self._terminals)

        def agent_runs_in(kernel_id: str) -> bool:
            # Also counts threads that agent code left, while a waiting cell keeps user code out.
            left = tools.code.ran_in(kernel_id) and cells.waits(kernel_id)
            return left or tools.code.runs_in(kernel_id)

        async def get_turn(command: GetTurn, caller: KernelCaller) -> TurnDetail:
            turn = await host.run(dispatcher.handle(command, caller))
            assert isinstance(turn, TurnDetail)
            return turn

        MovedNotebooks(host, kernels, serverapp.contents_manager)
        self._outputs = FinishedOutputs(
            serverapp.contents_manager, kernels, pages.holds, cells.waits, get_turn
        )
        self._backend = Backend(
            host,
            dispatcher,
            pages,
            kernels,
            PageKeys(serverapp.web_app.settings["cookie_secret"]),
            cells,
            agent_runs_in,
            finished_outputs=self._outputs,
        )
        times = serverapp.web_app.settings["last_activity_times"]
        self._activity = Activity(
            times,
            lambda: host.run(dispatcher.summaries(UserCaller("activity"))),
            kernels,
            self.waiting_hours,
        )
        self._looking: asyncio.Task[None] | None = None
        self.handlers.extend([*handlers(self._backend), *page_handlers(self._backend)])
        # This reads the token from the environment, too.
        self._secrets = ServerSecrets(serverapp, host.secrets, kernels.keys)
        self._secrets.begin()
        self._start(host)
        if not hasattr(serverapp.extension_manager, "start_all_extensions"):
            # An older jupyter-server calls no extension when it starts.
            serverapp.io_loop.add_callback(self._start_jupyter_server_extension, serverapp)

    def _kernels(self, serverapp: ServerApp) -> Kernels:
        manager = serverapp.kernel_manager
        found = (find(serverapp) for find in registered("remote_kernels").values())
        self._remote = next(filter(None, found), None)
        if self._remote is None and self.lazy_magics:
            know_magics(manager)
        return Kernels(manager, serverapp.session_manager, self._remote)

    def _observers(self) -> Sequence[Reader]:
        self._traces = begin_traces(os.environ, self.log.warning)
        return (SessionMetrics(), *(() if self._traces is None else (self._traces,)))

    def _start(self, host: AgentHost) -> None:
        host.start()
        self._begun = True
        most = host.config.limits.checkpoint_file_bytes
        UserSaves(self._server().contents_manager, host, host.config.root, most)
        if self._remote is not None:
            self._remote.begin()
        for name in _TOKEN_VARIABLES:
            # A kernel that inherits the token could act as the user, and so could agent code in it.
            os.environ.pop(name, None)

    def _bounds(self) -> Bounds:
        names = [
            name
            for name in self.trait_names()
            if name.startswith(("allow", "instruct", "required", "turn_limit"))
        ]
        bounds = bounds_of({name: getattr(self, name) for name in names})
        if bounds.masks:
            os.environ[MASKS_VARIABLE] = json.dumps(bounds.masks)  # for kernels
        return bounds

    def _mcp_servers(self, bounds: Bounds) -> Sequence[Mapping[str, Any]]:
        try:
            servers = acp_servers(self.mcp_servers)
            return [s for s in servers if bounds.mcp_commands or "command" not in s]
        except BadRequest as error:
            self.log.warning("acp-jupyter: %s No MCP server is passed on.", error.message)
            return ()

    async def _start_jupyter_server_extension(self, serverapp: ServerApp) -> None:
        """Set the address for kernels, as only now the port is final."""
        if not self._begun:
            return  # its bounds contradict each other
        # JupyterHub's extension sets the hook, too, and keeps no other: so after all of them.
        self._backend.page_keys.put_in_pages(
            serverapp.web_app.settings, lambda handler, user: user_caller(handler, user).person
        )
        os.environ.pop(URL_VARIABLE, None)
        url = kernel_url(serverapp.connection_url, serverapp.ip, serverapp.sock)
        if url is not None:
            os.environ[URL_VARIABLE] = url
        self._terminals.loop = asyncio.get_running_loop()
        self.kernel_runner.begin(asyncio.get_running_loop())
        for part in self._parts.values():
            part.begin(asyncio.get_running_loop())
        self._notebook_kernels.loop = asyncio.get_running_loop()
        self._looking = asyncio.create_task(self._activity.run(), name="acp-activity")
        self._keeping = asyncio.create_task(
            keep_current(self._backend.host, self.log), name="acp-registry"
        )
        # Jupyter's own 270,000 objects live as long as the server. Without them a full collection
        # while an agent works takes some ms in place of 200.
        gc.freeze()

    async def stop_extension(self) -> None:
        """Stop the streams, the sessions and their agents."""
        if not self._begun:
            return
        for task in filter(None, (self._looking, self._keeping)):
            task.cancel()
        self._outputs.stop()
        await asyncio.gather(*(stream.stop() for stream in tuple(self._backend.streams)))
        if self._remote is not None:
            await self._remote.stop()
        await asyncio.to_thread(self._backend.host.stop)
        for part in self._parts.values():
            await part.close()
        if self._traces is not None:
            await asyncio.to_thread(self._traces.close)

    async def run_command(self, command: Command, caller: UserCaller) -> Result:
        """Carry out a command, for a program that runs this server in its own process."""
        await self._backend.before(command, caller)
        host = self._backend.host
        return await host.run(self._backend.dispatcher.handle(command, caller))

    def current_activity(self) -> bool:
        """Return whether an agent works, so that Jupyter must not shut down as idle."""
        return self._begun and self._activity.working

    def _server(self) -> ServerApp:
        assert self.serverapp is not None
        return self.serverapp


@dataclass(frozen=True)
class _NotebookLookup:
    """Finds notebooks and kernels for the dispatcher, in the host's thread."""

    pages: Pages
    kernels: Kernels
    files: FileNotebooks
    root: Path

    def holds(self, path: str) -> bool:
        return self.pages.holds(path)

    async def cells(self, path: str) -> tuple[Cell, ...]:
        answer = (await self.pages.ask_by_name(path, ReadNotebook())).answer
        return () if answer is None or answer.notebook is None else answer.notebook.cells

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        question = ReadNotebook(pinned_only=True)
        answer = (await self.pages.ask_by_name(path, question)).answer
        if answer is not None and answer.notebook is not None:
            return answer.notebook.cells
        return await self.files.contexts(self.root / path)

    def kernel_of(self, notebook_path: str) -> str:
        return self.kernels.kernel_of(notebook_path)


def kernel_url(connection_url: str, ip: str, sock: str) -> str | None:
    """Return the server's address for kernels on the same machine.

    Parameters
    ----------
    ip
        The address that it listens on. If that is every address, its URL has the host's name,
        which may not resolve.
    sock
        A Unix socket instead of an address; kernels then can't reach the server.
    """
    if sock:
        return None
    url = urlsplit(connection_url)
    host = "127.0.0.1" if ip in _EVERY_ADDRESS else "[::1]" if ip == "::" else None
    if host is not None:
        url = url._replace(netloc=f"{host}:{url.port}" if url.port else host)
    return url.geturl()


def _root(serverapp: ServerApp) -> Path:
    root = getattr(serverapp.contents_manager, "root_dir", "") or serverapp.root_dir
    return Path(str(root)).expanduser().resolve()


def _server_path(root: Path, path: Path) -> str | None:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return None
