"""Queries of agents: they read, are bounded in rows, text and time, and see no masked column.

`run_query` checks and runs one. What differs between libraries: `sqlite_source`, `duckdb_source`
with `duckdb_select`, and `table_source` for DataFrames. What can't be shown to hold is refused.
"""
