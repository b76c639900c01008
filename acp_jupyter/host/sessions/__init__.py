"""The sessions of a host, and each one: a conversation with one agent in one folder.

`acp_jupyter.host.sessions.sessions` holds the open ones and opens stored ones, whose folders are in
`acp_jupyter.host.sessions.session_store`. `acp_jupyter.host.sessions.session` puts one together; it
has `turns`, an `agent`, and a connection to it (`opening`). What a session writes is in
`acp_jupyter.host.store`,
what it asks of the user in `acp_jupyter.host.requests`.
"""
