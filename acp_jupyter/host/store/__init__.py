"""What is on disk in the data folder, and what a long session moves out of memory.

Here: the log of a session and the journal that reads it, its metadata, the restoring of a
session, who owns a session's folder, and the JSON files that all programs of a user share. Not
here: the list of all sessions and their waking (`acp_jupyter.host.session_store`,
`stored_sessions`), which work with open sessions, and a workspace's own files
(`acp_jupyter.host.workspace.folders`).
"""
