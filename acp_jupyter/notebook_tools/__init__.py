"""The tools that an agent gets for the notebook that it works in, and for its kernel.

What there is says `tools`; what they do, `cell_tools` and `kernel_tools`; whether they may,
`tool_permissions`; how agents reach them, `mcp`.
"""
