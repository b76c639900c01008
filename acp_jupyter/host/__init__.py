"""Owner of all sessions and agent processes.

A host lives on a thread and an asyncio loop of its own, in the Jupyter server or in a kernel. What
an agent says is logged first, then reduced to a transcript, then given to readers. No web framework
and no widgets here, and no dialect: logs of other programs are read in `acp_jupyter.dialects`, and
imported in `acp_jupyter.api`.

From the bottom up, each importing only those before it: `registry` (which agents there are:
configured, from entry points of installed packages, or of the public registry), `store` (what is on
disk), `process` (the agents' processes), `workspace` (files, terminals, checkpoints), `requests`
(what waits for the user), `rpc` (the protocol), `recording`, `sessions`; and `host` above them.
"""
