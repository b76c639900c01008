"""The Agent Client Protocol: repaired messages, typed packets and the host's notes.

This package has JSON (`json`, `objects`), single messages (`traffic`), their repair (`normalise`),
the typed packets (`packets`, `session_packets`, `content`, `files`, `elicitation`), their parsers
(`parse`), the table of tools (`tools`), the host's notes (`host_events`), and the reader of a
session's traffic that joins them (`traffic_reader`). `log`, `log_envelope` and `log_json` read logs
of ACP traffic in any format.

All of it is pure: no files, no processes, no event loop. Other formats for conversations are in
`acp_jupyter.dialects`, which is never imported from here. `acp_jupyter.transcript` turns packets
into what a page shows.
"""
