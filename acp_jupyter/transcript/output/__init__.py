"""A turn or a session for readers: as a saved MIME bundle, Markdown, plain text or an HTML page.

Only text that is too long is removed here: `redactor` removes secrets and paths.
"""
