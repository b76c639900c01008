"""What agents may read of a kernel's tables: `mask`."""

from __future__ import annotations

from collections.abc import Sequence

from acp_jupyter.kernel.masks import masks
from acp_jupyter.kernel.tables import column_labels

__all__ = ["mask"]


def mask(table: object, columns: Sequence[str] = (), *, allow: Sequence[str] | None = None) -> None:
    """Hide the values of a table's columns from agents; they still read names and types.

    Columns of these names are masked in every table of this kernel, as copies and parts of the
    table keep them. It holds until the kernel ends. ``.acp/context.toml`` masks columns for good.

    Parameters
    ----------
    table
        A DataFrame or Series of pandas, Polars or another library.
    columns
        Names of columns to mask.
    allow
        The only columns whose values agents may read; all others are masked.

    Raises
    ------
    ValueError
        The table has no such column.
    TypeError
        This is no table.
    """
    labels = column_labels(table)
    if isinstance(columns, str) or isinstance(allow, str):
        raise TypeError("Give a list of columns, for example mask(df, ['email']).")
    missing = [name for name in (*columns, *(allow or ())) if name not in labels]
    if missing:
        raise ValueError(f"The table has no column {missing[0]!r}, so nothing was masked.")
    masks.add(columns)
    if allow is not None:
        masks.add(str(label) for label in labels if label not in allow)
        try:
            masks.allow_only(table, allow)
        except TypeError:  # it can't be referred to: its present columns are masked above
            return
