"""The kernel's side: the magics, `Session` and `Turn`, the widgets, and code that tools run here.

`code_runner` and `nested_run` run code of an agent's tools on the kernel's main thread, while a
cell waits for its turn or between two cells; `variables`, `tables` and `values` describe the
kernel's variables, `masks` says of which columns nothing is said. `acp_jupyter.notebook_tools`
defines the tools and checks permissions. If no cell waits, `acp_jupyter.server.kernel_runner` runs
the code.

This package is a client of a host, which runs in the Jupyter server or in this process. It does not
import Jupyter's server package, and widgets only when one is shown.
"""
