"""Descriptions of the user's variables for prompts and tools, limited in size and time."""
