"""Checks whether a notebook's outputs match its cells: which are stale, which a run changes.

`stale` compares the source that a cell ran with its present source, by the names that cells set
and use; `run_check` runs a copy from the top in a second kernel, and `compare` compares outputs.
"""
