"""`Feature`: what a feature registers, each by its place, so that only who asks for it imports it.

A place is ``module:name``, with the module relative to the feature's folder. The kernel imports no
place of the server, and the server none of the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """A command of ``jupyter acp``."""

    name: str
    words: str
    """What it does, for the help."""
    main: str
    """The place of a function that takes its arguments and returns its exit code."""


@dataclass(frozen=True, slots=True)
class Feature:
    """The places of what a feature registers; empty for what it has none of."""

    commands: str = ""
    """A tuple of `CommandRow`, read by `acp_jupyter.api.models.command_table`."""
    handlers: str = ""
    """A function that takes a `HandlerContext` and returns the objects with the handlers of these
    commands, called by `acp_jupyter.api.dispatch`."""
    recordings: str = ""
    """Makes the `Recordings` of a host, called by `acp_jupyter.host.host`."""
    server: str = ""
    """A subclass of `ServerPart`, made by `acp_jupyter.server.extension`."""
    routes: str = ""
    """Handlers that take the `Backend`, by their paths below the API's root; read by
    `acp_jupyter.server.handlers`."""
    pages: str = ""
    """Handlers of pages for people, that take the `Backend`, by their paths below
    ``acp-jupyter/``; read by `acp_jupyter.server.handlers`."""
    wire_models: str = ""
    """A tuple of models that the page's types include beside commands and their results; read by
    `acp_jupyter.api.models.frames`."""
    prompts: str = ""
    """An async function that takes the host, a session and a prompt, and returns the prompt to send
    and what the user should know of it; read by `acp_jupyter.api.dispatch`."""
    subcommands: str = ""
    """A tuple of `Subcommand`, read by `acp_jupyter.kernel.magics.help`."""
    transcripts: str = ""
    """Functions that write a transcript, by the name of their format; read by
    `acp_jupyter.api.commands.transcripts`."""
    cell: str = ""
    """A `CellFeature`: options in the first line of a cell, which the feature then runs; read by
    `acp_jupyter.api.cell_options`."""
    cell_prompt: str = ""
    """A function that takes the options of a cell and its prompt, and returns the options to use;
    called by `acp_jupyter.kernel.magics.ipython_extension`."""
    cell_ended: str = ""
    """A function that takes IPython's result of each cell that ends while the magics are loaded,
    and of the last one before; called by `acp_jupyter.kernel.magics.ipython_extension`."""
    remote_kernels: str = ""
    """A function that takes Jupyter's server application and returns its `RemoteKernels`, or None
    where the server starts its kernels itself; called by `acp_jupyter.server.extension`."""
    find_server: str = ""
    """A function that returns a kernel's `ServerClient`, or None where the feature knows no way to
    the server; called by `acp_jupyter.kernel.client.server_client`."""
    program: Program | None = None
    """A command of ``jupyter acp``, run by `acp_jupyter.command_line`."""
