"""Which agents there are, and whether each can start.

From three places: ``acp_agents.json``, entry points of installed packages, and a bundled
snapshot of the public registry (``snapshot.json``, package data, made by
``scripts/registry_snapshot.py``). How a process is started is in
`acp_jupyter.host.process.agent_process`, logging in in `acp_jupyter.host.login`.
"""
