"""The Agent Client Protocol as it is read here: repaired messages, typed packets, host events.

Here lie JSON (`json`, `objects`), one message of the wire (`traffic`), its repair (`normalise`),
the typed packets (`packets`, `session_packets`, `content`, `files`, `elicitation`), their
readers (`parse`), the table of tools (`tools`), what the host writes beside the protocol
(`host_events`), and the reader of a session's traffic that joins them (`traffic_reader`).
`log`, `log_envelope` and `log_json` read a log of ACP traffic in any form that people have.

Everything is pure: no files, no processes, no event loop. Other ways to write a conversation down
lie in `acp_jupyter.dialects`, which is never imported from here; what becomes of the packets is
`acp_jupyter.transcript`'s.
"""
