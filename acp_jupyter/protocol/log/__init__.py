"""Logs of ACP traffic, in any form that people have, read as traffic entries.

The host's own log is written by `acp_jupyter.host`; making a session of a log is
`acp_jupyter.dialects.imports`'.
"""
