"""One session: a conversation with one agent in one folder, with its turns and its agent.

All sessions of a host are in `acp_jupyter.host.host`, `acp_jupyter.host.session_store` and
`acp_jupyter.host.stored_sessions`; what a session writes is in `acp_jupyter.host.store`, what it
asks of the user in `acp_jupyter.host.requests`.
"""
