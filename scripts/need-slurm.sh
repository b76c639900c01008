#!/bin/sh
# The scheduler of clusters, for the long tests that run a batch on one of this machine; Debian's package.
set -eu
PATH=$PATH:/usr/sbin
command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v sbatch >/dev/null ||
    "$(dirname "$0")/need-package.sh" slurm-wlm
