"""Code cells: the names that they set and use, and which of them can run again without an agent."""
