"""The kernel's clients of a host: one in the Jupyter server, over HTTP, or one in this process.

The rest of the kernel calls `host_client`; `connection` sends commands over HTTP, `embedded_host`
starts a host here. The commands are in `acp_jupyter.api.models`; the Python interface is in
`acp_jupyter.kernel.session` and `acp_jupyter.kernel.turn`.
"""
