"""Processes of agents and of their commands: started, watched and ended.

Each runs under a supervisor, so that nothing of it outlives the host. What is said over the
pipes is in `acp_jupyter.host.rpc`; which sessions share a process, in
`acp_jupyter.host.rpc.pool`.
"""
