"""Checkpoints: a folder at one moment, stored by git outside of it; shown, and taken back.

The protocol does not say which files an agent changed, and most change them by their own tools.
So the folder is stored before and after each turn, whoever writes in it meanwhile.
"""
