"""Whether a notebook's outputs are true to its cells: which are stale, and what a run gives.

`stale` compares what cells ran with what they hold now, by the names that they set and use;
`run_check` runs a copy from the top in a kernel of its own, and `compare` compares the outputs.
"""
