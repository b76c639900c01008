"""The notebook tools for agents that were started elsewhere, in a terminal or another program.

`agents` admits such agents by a key, and shows the calls of each as a session; `command_line` is
the program that they start.
"""

from __future__ import annotations

from acp_jupyter.feature import Feature, Program

FEATURE = Feature(
    commands="commands:COMMANDS",
    handlers="handlers:handlers",
    server="server:OutsideOnServer",
    routes="server:ROUTES",
    program=Program(
        "mcp", "serve the tools of an open notebook over MCP on stdio", "command_line:main"
    ),
)
