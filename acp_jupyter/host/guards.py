"""What all sessions of a host mind before an agent may do something."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from acp_jupyter.host.rules.store import RulesStore
from acp_jupyter.host.trust_store import TrustStore

__all__ = ["Guards"]


@dataclass(frozen=True, slots=True)
class Guards:
    """The trusted folders, and the rules that are remembered for folders."""

    trust: TrustStore
    rules: RulesStore

    @classmethod
    def in_folder(cls, data_dir: Path, trust: TrustStore | None = None) -> Self:
        """Return those that are kept in a data folder.

        Parameters
        ----------
        data_dir
            Shared by all servers and kernels of a user.
        trust
            In place of the file there.
        """
        if trust is None:
            trust = TrustStore(data_dir / "trust.json")
        return cls(trust, RulesStore(data_dir / "rules.json"))
