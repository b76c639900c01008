"""Kernels that run behind a gateway: the server's connections to them, and their requests."""
