"""The messages: commands, their results and frames, as pydantic models; the table of commands.

Kernels whose sessions run in the server import these, so nothing here imports the host or a
handler. TypeScript types are generated from them: see `WIRE_MODELS` in `frames`. The facts about a
command, such as its route and who may send it, are in its row of `command_table`.
"""
