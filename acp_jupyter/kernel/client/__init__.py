"""The host as the kernel reaches it: in the Jupyter server over HTTP, or in this process."""
