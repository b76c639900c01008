"""Tools of agents: the table of known ones, their typed inputs and outputs, and the words shown.

Adding a tool is adding a row to `table` and its tests. How tool calls become parts of a transcript
is `acp_jupyter.transcript`'s.
"""
