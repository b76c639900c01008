"""Sessions from Python: `connect`, `Session`, their settings, and files that go with a prompt.

A `Session` here is a handle: the session itself is the host's (`acp_jupyter.host.session`). One
prompt and its answer is in `acp_jupyter.kernel.turn`.
"""
