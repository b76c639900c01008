"""Sandboxes: what an agent's processes can reach, whatever they ask for.

`walls` describes it once, from the sandbox that was chosen, the folder and the agent; `places`
finds on disk what the description is about. The backends translate it: `bubblewrap`, `landlock`
and `seatbelt`. `levels` finds out which of them work here, and `sandboxes` confines commands.
"""
