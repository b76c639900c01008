"""Clients of a host: in the Jupyter server over HTTP, or in this process."""
