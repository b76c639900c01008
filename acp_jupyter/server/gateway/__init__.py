"""Kernels that run behind a gateway: the server's connections with them, and what they ask for."""
