"""The Jupyter server extension: routes, the WebSocket, and the server's kernels."""
