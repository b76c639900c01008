"""Checkpoints: the content of a folder at one moment, stored by git outside of the folder.

The protocol does not say which files an agent changed, and most agents use their own tools. So the
folder is stored before and after each turn, to show and revert changes.
"""
