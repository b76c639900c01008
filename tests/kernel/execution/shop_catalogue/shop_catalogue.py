"""A catalogue of data sets, which prompts name as ``@shop:orders``."""

DATA_SETS = {
    "orders": "One row per order. Columns: id, city, sold, day. From the till, every night.",
    "orders_2025": "As orders, closed on 2026-01-31. Use it for yearly reports.",
    "stores": "One row per store. Columns: city, opened, square_metres.",
}


def complete(typed: str) -> list[str]:
    """Return the names that begin as was typed; at most 100 are offered."""
    return [name for name in DATA_SETS if name.startswith(typed)]


def describe(name: str) -> str | None:
    """Return what goes along with the prompt; None for a name that is not known."""
    return DATA_SETS.get(name)
