"""One session: a conversation with one agent in one folder, with its turns and its agent.

All sessions of a host are in `acp_jupyter.host.host`, `session_store` and `stored_sessions`;
what a session writes is in `acp_jupyter.host.store`, what it asks in
`acp_jupyter.host.rpc.open_requests`.
"""
