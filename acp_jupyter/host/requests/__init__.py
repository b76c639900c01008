"""What waits for the user: permission requests, questions of agents, trust in a folder.

A request is settled once: by the user, a policy, a rule or a recording; or it is withdrawn by
the agent, or expires with its process. Nothing is ever granted by silence. What is remembered
beyond a session is in `acp_jupyter.host.store.permission_stores`; the protocol's methods are in
`acp_jupyter.host.rpc`.
"""
