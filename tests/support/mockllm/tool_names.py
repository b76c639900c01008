"""What agents call their tools: regular expressions, the best first."""

from __future__ import annotations

__all__ = ["AGENT", "ASK", "EDIT", "GLOB", "READ", "SHELL", "TASK_UPDATE", "TODO", "WRITE"]

WRITE = (r"^(write|write_file)$", r"apply_patch")
EDIT = (r"^(edit|replace|str_replace)$", r"apply_patch")
SHELL = (r"^(bash|shell|run_shell_command|exec_command|shell_command|local_shell)$",)
READ = (r"^(read|read_file)$",)
GLOB = (r"^(glob|list_directory)$",)
TODO = (r"^(todowrite|write_todos|update_plan)$", r"^TaskCreate$")
ASK = (r"^(ask_?user\w*|question|askuserquestion|request_user_input)$",)
AGENT = (r"^(task|agent)$",)
TASK_UPDATE = (r"^TaskUpdate$",)
