"""The registry of agents, and whether each can start.

It has three sources: ``acp_agents.json``, entry points of installed packages, and a bundled
snapshot of the public registry (``snapshot.json``, written by ``scripts/registry_snapshot.py``).
`acp_jupyter.host.process.agent_process` starts the process; `acp_jupyter.host.login` is about
logging in.
"""
