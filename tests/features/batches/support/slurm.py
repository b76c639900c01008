"""A Slurm of one node, of this user, whose files lie in a folder."""

from __future__ import annotations

import getpass
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.server.jupyter_server import free_port
from tests.support.wait import PATIENCE_SECONDS, eventually

__all__ = ["one_node_slurm"]

_CONFIG = """\
ClusterName=one
SlurmctldHost=localhost
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName=localhost CPUs=2 RealMemory=8000
PartitionName=main Nodes=localhost Default=YES State=UP
"""


@contextmanager
def one_node_slurm(folder: Path) -> Iterator[dict[str, str]]:
    """Start its two daemons; give the variables by which its programs find them."""
    (folder / "spool").mkdir(parents=True)
    config = folder / "slurm.conf"
    ports = (free_port(), free_port())
    config.write_text(_CONFIG.format(user=getpass.getuser(), folder=folder, ports=ports))
    # Its daemons are where not everybody looks for programs.
    path = os.pathsep.join((os.environ["PATH"], "/usr/sbin"))
    variables = {"SLURM_CONF": str(config), "PATH": path}
    environment = {**os.environ, **variables}

    def is_idle() -> bool:
        words = ("sinfo", "--noheader", "--format=%T")
        said = subprocess.run(words, env=environment, capture_output=True, text=True).stdout
        return said.strip() == "idle"

    daemons: list[subprocess.Popen[bytes]] = []
    try:
        for words in (("slurmctld", "-D", "-c"), ("slurmd", "-D", "-N", "localhost")):
            daemons.append(subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL))
        eventually(is_idle)
        yield variables
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait(PATIENCE_SECONDS)
