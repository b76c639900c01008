"""A kernel of the server: its state (alive, idle), and requests to it."""
