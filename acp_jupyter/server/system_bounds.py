"""The bounds of a server, from its settings and from the configuration of the whole machine.

Jupyter lets a user's configuration take precedence over that of the machine. For bounds both count:
the machine's files are read once more, and what they forbid stays forbidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jupyter_core.paths import ENV_CONFIG_PATH, SYSTEM_CONFIG_PATH
from traitlets.config.loader import (
    Config,
    ConfigFileNotFound,
    JSONFileConfigLoader,
    PyFileConfigLoader,
)

from acp_jupyter.host.bounds import Bounds

_FILES = ("jupyter_config", "jupyter_server_config")


def bounds_of(settings: Mapping[str, Any], folders: Sequence[str] | None = None) -> Bounds:
    """Return what the settings and the machine's configuration both allow.

    Parameters
    ----------
    settings
        The server's own, as they are in force.
    folders
        With the machine's configuration; by default Jupyter's own.

    Raises
    ------
    BadRequest
        A setting is not of its kind, or no policy is left.
    """
    bounds = Bounds.of(settings)
    for config in _machine_configs(
        (*SYSTEM_CONFIG_PATH, *ENV_CONFIG_PATH) if folders is None else folders
    ):
        bounds = bounds.within(Bounds.of(config.get("AcpJupyter", {})))
    return bounds


def _machine_configs(folders: Sequence[str]) -> Iterator[Config]:
    for folder in folders:
        for name in _FILES:
            for loader, suffix in ((PyFileConfigLoader, ".py"), (JSONFileConfigLoader, ".json")):
                file = Path(folder) / (name + suffix)
                if file.is_file():
                    try:
                        yield loader(file.name, folder).load_config()
                    except ConfigFileNotFound:
                        continue
