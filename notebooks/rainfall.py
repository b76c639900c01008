"""Months with much rain, for the quickstart notebook."""

import pandas as pd


def wet_months(rain: pd.DataFrame, limit: float) -> list[str]:
    """Return the months in which more than ``limit`` millimetres of rain fell."""
    months = []
    for month, row in rain.iterrows():
        if row["mm"] > limit:
            months.append(month)
    return months
