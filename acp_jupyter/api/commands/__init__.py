"""The handlers of commands, by noun; `acp_jupyter.api.dispatch` calls them.

Each is marked with its command, and checks permissions that depend on the session or on a field
(`acp_jupyter.api.access`). General facts about a command, such as its route, are in its row of
`acp_jupyter.api.models.command_table`.
"""
