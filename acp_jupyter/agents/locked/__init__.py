"""Starts an agent of the public registry whose packages are checked against a lock."""
