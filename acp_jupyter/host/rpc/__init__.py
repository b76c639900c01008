"""The protocol with one agent: JSON-RPC over the pipes of its process.

From the bottom up: `open_requests` and `log_router`, `inbound` and `transport`, `sdk_connection`
with the SDK's own connection, `connection` and `handshake`; `handlers` answers what agents ask,
and `pool` shares processes between sessions. `sdk` has the models of requests. Those of other
messages are in `acp_jupyter.protocol`; the process is in
`acp_jupyter.host.process.agent_process`.
"""
