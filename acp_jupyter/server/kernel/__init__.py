"""One kernel of the server: whether it is alive and free, and requests to it."""
