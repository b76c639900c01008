"""The files of the data folder, and the spill file for items of long sessions.

Here: a session's log and the journal that reads it, its metadata and resume points, restoring a
session, ownership of a session's folder, and the JSON files that all programs of a user share.
Elsewhere: the list of all sessions (`acp_jupyter.host.sessions.session_store`) and opening them
(`sessions`), and the files of a workspace (`acp_jupyter.host.workspace.folders`).
"""
