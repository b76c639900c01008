"""Texts of agents, written so that they neither act nor change what stands around them.

`escaping` needs the standard library only. The others need markdown-it-py, which a kernel without a
server may lack, and are imported when they are used.
"""
