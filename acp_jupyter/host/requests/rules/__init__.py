"""Rules: kinds of calls that are allowed or denied without asking, by command, path or address.

For one cell, a session or a folder. The files that rules of folders are in:
`acp_jupyter.host.store.permission_stores`.
"""
