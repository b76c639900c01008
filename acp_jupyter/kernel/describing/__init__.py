"""Descriptions of the user's variables, for prompts and tools; bounded in size and in time."""
