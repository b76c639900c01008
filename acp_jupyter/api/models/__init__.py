"""The messages: commands, their results and frames, as pydantic models; and the table of commands.

Kernels whose sessions run in the server import these, so nothing here imports the host itself or
a handler. TypeScript types are made of them: see `WIRE_MODELS` in `frames`. What is
true of a command, such as its route and who may send it, is its row of `command_table`.
"""
