"""Kernels that this server starts know ``%acp`` and ``%%acp`` without ``%load_ext``.

They get one argument, a line of code that registers the magics to be loaded at their first use. An
argument that sets ``lazy_magics`` itself would drop those of the user's configuration (tried).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

_CODE = """\
def acp_magics(shell):
    from importlib import invalidate_caches, util

    def acp(line, cell=None):
        invalidate_caches()
        if util.find_spec("acp_jupyter") is None:
            from IPython.core.error import UsageError

            raise UsageError(
                "acp-jupyter is not installed in this kernel's environment. "
                "Run %pip install acp-jupyter in a cell, then this cell again."
            )
        shell.run_line_magic("load_ext", "acp_jupyter")
        if cell is None:
            return shell.run_line_magic("acp", line)
        return shell.run_cell_magic("acp", line, cell)

    if util.find_spec("acp_jupyter") is None:
        shell.register_magic_function(acp, "line_cell", "acp")
    else:
        shell.magics_manager.register_lazy("acp", "acp_jupyter")


acp_magics(get_ipython())
del acp_magics
"""
"""Runs in the kernel before its first cell; imports nothing of ours there."""

_ARGUMENT = f"--IPKernelApp.code_to_run={_CODE}"


def know_magics(kernels: MappingKernelManager) -> None:
    """Let the kernels that are started from now on know the magics.

    Only kernels of this machine whose specification runs ``ipykernel_launcher`` get the argument;
    others may end on an argument that they do not know.

    Parameters
    ----------
    kernels
        The server's kernel manager.
    """
    start: Any = kernels.start_kernel
    manager: Any = kernels

    async def start_kernel(**options: Any) -> str:
        name = options.get("kernel_name") or manager.default_kernel_name
        try:
            spec = manager.kernel_spec_manager.get_kernel_spec(name)
        except KeyError:  # no such specification: starting it says so
            spec = None
        if spec is not None and _takes_argument(spec):
            options["extra_arguments"] = [*options.get("extra_arguments", ()), _ARGUMENT]
        kernel_id: str = await start(**options)
        return kernel_id

    manager.start_kernel = start_kernel


def _takes_argument(spec: KernelSpec) -> bool:
    provisioner = spec.metadata.get("kernel_provisioner", {}).get("provisioner_name", "")
    runs_code = any("code_to_run" in argument for argument in spec.argv)
    is_local = provisioner in {"", "local-provisioner"}
    return is_local and "ipykernel_launcher" in spec.argv and not runs_code
