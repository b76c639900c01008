"""Batches: one notebook or prompt, run for many parameters, agents, policies and seeds.

`batch` plans the jobs and hands them to an executor; `run_job` runs one, anywhere; `in_kernel` is
what a job's kernel runs first. All that must outlive a process is a file in the batch's folder.
"""
