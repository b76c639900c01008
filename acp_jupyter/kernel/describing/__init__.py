"""Descriptions of the user's variables for prompts and tools, limited in size and time.

No library is imported of which a value may be (pandas, NumPy): a kernel that has such a value has
imported it. Tools come here through `acp_jupyter.kernel.execution`.
"""
