"""A project with a slow function, and an agent that makes it fast."""

from __future__ import annotations

from tests.support.scenes.steps import (
    NO,
    ONCE,
    Step,
    ask,
    call,
    diff,
    hold,
    plan,
    rest,
    say,
    text,
    think,
    used,
    write,
)

__all__ = ["CLEAN_OLD", "FILES", "FINISHED", "PERMISSIONS", "PROMPT", "STREAMING"]

PROMPT = "Make clean.py twice as fast. Keep the tests green."
STEPS = (
    "Read clean.py and its tests",
    "Measure the slow loop",
    "Replace the row loop with grouped operations",
    "Run the tests",
    "Measure again",
)

CLEAN_OLD = '''"""Clean the raw table."""

import pandas as pd


def load(path):
    """Read a table."""
    return pd.read_csv(path)


def normalise(df):
    for idx, row in df.iterrows():
        df.loc[idx, "name"] = row["name"].strip().lower()
    return df


def fill_gaps(df, by):
    """Fill gaps by group."""
    return df.groupby(by).apply(fill, include_groups=False)


def fill(group):
    return group.ffill().bfill()
'''
CLEAN_NEW = CLEAN_OLD.replace(
    """    for idx, row in df.iterrows():
        df.loc[idx, "name"] = row["name"].strip().lower()
""",
    """    df["name"] = df["name"].str.strip().str.lower()
""",
).replace(".apply(fill, include_groups=False)", "[cols].transform(fill)")
TEST_OLD = """from clean import normalise


def test_order(table):
    assert list(normalise(table).index) == [1, 2, 3]
"""
TEST_NEW = (
    TEST_OLD
    + """

def test_lower(table):
    assert normalise(table).name.str.islower().all()
"""
)
BENCH = """from clean import load, normalise

df = load("data/sample.csv")
normalise(df.copy())
"""
FILES = {"src/clean.py": CLEAN_OLD, "tests/test_clean.py": TEST_OLD}

_LOOKED: list[Step] = [
    call("r1", "Read", "read", {"file_path": "src/clean.py"}, text(CLEAN_OLD)),
    call("r2", "Read", "read", {"file_path": "tests/test_clean.py"}, text(TEST_OLD)),
    call(
        "s1", "Grep", "search", {"pattern": "iterrows"},
        text("src/clean.py:12:    for idx, row in df.iterrows():\n"
             "src/report.py:71:    for _, r in out.iterrows():\n"
             "notebooks/eda.py:9:for i, row in raw.iterrows():"),
    ),
]  # fmt: skip
_FOUND = (
    "The time goes into one place: `normalise()` walks the frame row by row, so 200,000 rows cost "
    "200,000 Python calls. Two changes remove that:\n\n"
    "1. Strip and lower the text columns with `Series.str`.\n"
    "2. Fill the gaps per group with `groupby(…).transform`.\n"
)
_TIMED = {
    "command": 'python -m timeit -n 3 -s "import bench" "bench.run()"',
    "description": "Time the current version",
}
_THOUGHT = (
    "Only the two text columns are touched by the row loop. Filling per group needs the order of "
    "rows kept, so *transform* and not *apply*."
)

STREAMING: list[Step] = [
    plan(2, *STEPS),
    think(_THOUGHT),
    rest(0.3),
    *_LOOKED,
    say(_FOUND),
    call("t1", "Bash", "execute", _TIMED,
         text("3 loops, best of 5: \x1b[1m4.81 sec\x1b[0m per loop\n"), status="in_progress"),
    used(12_400, 200_000, 0.06),
    hold("streaming"),
    say("\nThe baseline is 4.8 s. I will start with the text columns because they need no change "
        "in the tests"),
    hold("end"),
]  # fmt: skip

_EDITS: list[Step] = [
    call("e1", "Edit", "edit", {"file_path": "src/clean.py"},
         diff("src/clean.py", CLEAN_OLD, CLEAN_NEW)),
    write("src/clean.py", CLEAN_NEW),
]  # fmt: skip
_ALWAYS = {"optionId": "always", "kind": "allow_always"}
_TEST = {"command": "npm test", "description": "Run the tests"}

PERMISSIONS: list[Step] = [
    plan(3, *STEPS),
    *_LOOKED,
    call("t1", "Bash", "execute", _TIMED, text("4.81 sec per loop\n")),
    *_EDITS,
    call("t2", "Bash", "execute", _TEST, status="pending"),
    ask(
        (
            {"toolCallId": "t2", "kind": "execute", "title": "npm test", "rawInput": _TEST},
            [ONCE, _ALWAYS | {"name": "Always allow `npm test`"}, NO],
        ),
        (
            {
                "toolCallId": "e2",
                "kind": "edit",
                "title": "Edit src/clean.py",
                "rawInput": {"file_path": "src/clean.py"},
                "content": [diff("src/clean.py", CLEAN_OLD, CLEAN_NEW)],
            },
            [ONCE, _ALWAYS | {"name": "Allow all edits this session"}, NO],
        ),
    ),
]  # fmt: skip

FINISHED: list[Step] = [
    think(_THOUGHT),
    rest(0.2),
    *_LOOKED,
    call("t1", "Bash", "execute", _TIMED, text("4.81 sec per loop\n")),
    *_EDITS,
    call("e3", "Edit", "edit", {"file_path": "tests/test_clean.py"},
         diff("tests/test_clean.py", TEST_OLD, TEST_NEW)),
    write("tests/test_clean.py", TEST_NEW),
    call("e4", "Write", "edit", {"file_path": "bench/bench_clean.py", "content": BENCH},
         diff("bench/bench_clean.py", None, BENCH)),
    write("bench/bench_clean.py", BENCH),
    call("t2", "Bash", "execute", {"command": "pytest -q", "description": "Run the tests"},
         text("..............  [100%]\n14 passed in 3.31s\n")),
    say(
        "`normalise()` now takes **1.9 s** instead of 4.8 s on the 200,000-row sample; "
        "all 14 tests pass.\n\n"
        "- Text columns are cleaned with `Series.str`, no loop.\n"
        "- Gaps are filled per group with `transform`, which keeps the row order.\n\n"
        "| Step | Before | After |\n|---|--:|--:|\n"
        "| Text columns | 3.10 s | 0.42 s |\n| Fill gaps | 1.71 s | 1.48 s |\n\n"
        "To check it yourself:\n\n"
        '```python\nfrom clean import load, normalise\ndf = load("data/sample.csv")\n'
        "%timeit normalise(df.copy())\n```\n"
    ),
    used(148_000, 200_000, 0.42),
]  # fmt: skip
