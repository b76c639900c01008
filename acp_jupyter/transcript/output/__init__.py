"""A turn or a session for readers: as a saved MIME bundle, Markdown, plain text or an HTML page.

Nothing here is taken out of a text but what is too long: secrets and paths are `redaction`'s.
"""
