"""Processes of agents and of their commands: started, watched and ended.

Each runs under a supervisor, so that none of its processes outlives the host. The protocol on the
pipes is in `acp_jupyter.host.rpc`, and the sharing of processes in `acp_jupyter.host.rpc.pool`.
"""
