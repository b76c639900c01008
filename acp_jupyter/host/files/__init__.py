"""The files of a workspace, as agents read and write them."""
