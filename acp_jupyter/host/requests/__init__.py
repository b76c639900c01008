"""Requests that wait for the user: permissions, elicitations, trust in a folder.

A request is settled once: by the user, a policy, a rule or a recording; or it is withdrawn by
the agent, or expires with its process. No timeout ever grants anything. Rules and trust that
outlive a session are in `acp_jupyter.host.store.permission_stores`; the handlers of the
protocol's methods are in `acp_jupyter.host.rpc`.
"""
