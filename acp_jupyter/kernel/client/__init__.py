"""The kernel's way to its host: in the Jupyter server over HTTP, or in this process.

`host_client` is what the rest of the kernel calls; `connection` is the way over HTTP, and
`embedded_host` starts a host here. What is asked of a host is in `acp_jupyter.api.models`; sessions
and turns as Python sees them are in `acp_jupyter.kernel.session` and `acp_jupyter.kernel.turn`.
"""
