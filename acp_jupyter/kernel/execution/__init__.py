"""Execution of code for an agent's tools, on this kernel's main thread, and its outputs.

`variables` and `values` describe what the kernel holds.

The code runs while a cell waits for its turn, or between two cells. What the tools are, and whether
they may run, is `acp_jupyter.notebook_tools`'. Code in a kernel whose cell does not wait is run by
`acp_jupyter.server.kernel_runner`.
"""
