"""The notebook tools: an agent's tools for its session's notebook and kernel.

`tools` is the table of tools; `session_tools` and `kernel_tools` carry calls out;
`tool_permissions` asks for permission; `mcp_endpoint` is the server that agents connect to.
"""
