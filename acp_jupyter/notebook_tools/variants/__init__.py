"""Kernels of variants: each variant works in a copy of the folder, with the notebook tools.

The kernel's side is `acp_jupyter.kernel.variable_copies`.
"""
