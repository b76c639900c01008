"""Logs of ACP traffic, in any form that people have."""
