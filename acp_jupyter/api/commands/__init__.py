"""Handlers: they carry out the commands, by noun, once `acp_jupyter.api.dispatch` has found them.

Each is marked with the command that it handles, and checks what depends on the session or on a
field (`acp_jupyter.api.access`). What is true of a command in general, such as its route, is its
row of `acp_jupyter.api.models.command_table`.
"""
