"""Agents' tools: the table of known ones, their typed inputs and outputs, and the texts shown.

To add a tool, add a row to `table` and its tests. `acp_jupyter.transcript` turns tool calls into
items.
"""
