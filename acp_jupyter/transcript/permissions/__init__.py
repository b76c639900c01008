"""What a tool call is proven to do, and the rules that may cover it.

Pure: what lies on disk behind a path is looked at by the host, which also decides. How a permission
request changes a transcript is `acp_jupyter.transcript.reduce.permissions`'s.
"""
