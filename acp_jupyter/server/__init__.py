"""The Jupyter server extension: routes, the WebSocket, and the server's kernels.

`auth` authenticates who sends a request; `acp_jupyter.api` checks what the request may do. All of
this package runs on Jupyter's loop and calls the host in the host's own thread (`backend`).
"""
