"""Which agents there are, and whether each can start."""
