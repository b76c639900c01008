"""What all sessions of a host mind before an agent may do something."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from acp_jupyter.host.recording.seals import RecordSeals
from acp_jupyter.host.rules.store import RulesStore
from acp_jupyter.host.trust_store import TrustStore

__all__ = ["Guards"]


@dataclass(frozen=True, slots=True)
class Guards:
    """The trusted folders, the rules that are remembered for folders, and the own records."""

    trust: TrustStore
    rules: RulesStore
    seals: RecordSeals
    own_folders: tuple[Path, ...] = ()
    """Of Python, Jupyter and this package: what agents put there would run, or tells secrets."""

    @classmethod
    def in_folder(
        cls, data_dir: Path, trust: TrustStore | None = None, own: tuple[Path, ...] = ()
    ) -> Self:
        """Return those that are kept in a data folder.

        Parameters
        ----------
        data_dir
            Shared by all servers and kernels of a user.
        trust
            In place of the file there.
        own
            More folders that are protected.
        """
        if trust is None:
            trust = TrustStore(data_dir / "trust.json")
        rules = RulesStore(data_dir / "rules.json")
        records = RecordSeals(data_dir / "records.json")
        return cls(trust, rules, records, (data_dir, Path(sys.prefix), *own))
