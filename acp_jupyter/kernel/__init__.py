"""The kernel's side: the magics, `Session` and `Turn`, the widgets, and code that tools run here.

`code_runner` and `nested_run` run code of an agent's tools on the kernel's main thread, while a
cell waits for its turn or between two cells; `variables` and `values` describe what the kernel
holds. What the tools are, and whether they may run, is `acp_jupyter.notebook_tools`'. Code in a
kernel whose cell does not wait is run by `acp_jupyter.server.kernel_runner`.

This package is a client of a host, which runs in the Jupyter server or in this process. It does
not import Jupyter's server package, and widgets only when one is shown.
"""
