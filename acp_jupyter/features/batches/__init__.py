"""Batches: one notebook or prompt, run for many parameters, agents, policies and seeds.

`batch` plans the jobs and hands them to an executor; `run_job` runs one, anywhere; `in_kernel` is
what a job's kernel runs first. All that must outlive a process is a file in the batch's folder.
"""

from __future__ import annotations

from acp_jupyter.feature import Feature, Program

FEATURE = Feature(
    program=Program(
        "batch", "run a notebook or a prompt for many parameters and agents", "command:main"
    )
)
