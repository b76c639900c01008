"""The Jupyter server extension: routes, the WebSocket, and the server's kernels.

Who sends a request is known here (`auth`); what it may ask for is checked in `acp_jupyter.api`.
All of it runs on Jupyter's loop and calls the host on the host's own thread (`backend`).
"""
