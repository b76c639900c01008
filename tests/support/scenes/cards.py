"""A turn with a card of each kind, and one of which everything is long."""

from __future__ import annotations

from tests.support.scenes.cleaning import CLEAN_OLD
from tests.support.scenes.steps import NO, ONCE, Step, ask, call, diff, hold, say, text, used

__all__ = ["ARABIC", "CARDS", "LONG", "LONG_PATH", "OUTPUT", "PICTURE"]

# One pixel.
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
PICTURE: Step = {"type": "image", "mimeType": "image/png", "data": _PNG}

_PYTEST = (
    "\x1b[32m..............\x1b[31mF\x1b[32m.\x1b[0m                                   [100%]\n"
    "\x1b[1;31mFAILED\x1b[0m tests/test_clean.py::\x1b[1mtest_order\x1b[0m\n"
    "  assert [2, 1, 3] == [1, 2, 3]\n"
    "\x1b[31m1 failed\x1b[0m, \x1b[32m15 passed\x1b[0m in 2.31s\n"
)
_OLD = CLEAN_OLD + "\n".join(f"# step {n}" for n in range(60)) + "\ncheck(r)\n"
_NEW = _OLD.replace(
    ".apply(fill, include_groups=False)",
    "[cols].transform(fill)",
).replace("check(r)", "check(out)")

CARDS: list[Step] = [
    call("r1", "Read", "read", {"file_path": "src/clean.py", "offset": 12, "limit": 4},
         text("    12→def normalise(df):\n    13→    # one Python call for each row\n"
              "    14→    for idx, row in df.iterrows():\n"
              '    15→        df.loc[idx, "name"] = row["name"].strip()')),
    call("s1", "Grep", "search", {"pattern": "iterrows"},
         text("src/clean.py:14:    for idx, row in df.iterrows():\n"
              "src/clean.py:71:    for _, r in out.iterrows():\n"
              "notebooks/eda.py:9:for i, row in raw.iterrows():")),
    say("The tests first."),
    call("b1", "Bash", "execute", {"command": "pytest -q tests", "description": "Run the tests"},
         text("Exit code 1\n" + _PYTEST), status="failed"),
    say("Now the edits."),
    call("e1", "Edit", "edit", {"file_path": "src/clean.py"}, diff("src/clean.py", _OLD, _NEW)),
    call("e2", "Edit", "edit", {"file_path": "tests/test_clean.py"},
         text("old_string not found in tests/test_clean.py"), status="failed"),
    say("What is left to do, and who calls it."),
    call("d1", "TodoWrite", "other", {"todos": [
        {"content": "Read clean.py and its tests", "status": "completed"},
        {"content": "Replace the row loop", "status": "in_progress"},
        {"content": "Run the tests", "status": "pending"},
    ]}),
    call("k1", "Task", "think", {"description": "Find the callers of normalise", "prompt": "…",
                                 "subagent_type": "general-purpose"},
         text("Three modules call `normalise()`: `io`, `report`, `cli`.")),
    say("The rest."),
    call("c1", "", "execute", {}, PICTURE, title="Plot before and after"),
    call("f1", "WebFetch", "fetch", {"url": "https://pandas.pydata.org/docs", "prompt": "Groups"}),
    call("m1", "", "move", {"from": "old.py", "to": "src/old.py"}, title="Move old.py to src/"),
    call("w1", "", "switch_mode", {}, title="Plan → Ask before edits"),
    call("o1", "mcp__notebook__get_variables", "other", {"kernel": "python3"}),
    call("b2", "Bash", "execute",
         {"command": "python train.py --epochs 3", "description": "Train for three epochs"},
         text("epoch 1  loss \x1b[33m0.412\x1b[0m\nepoch 2  loss \x1b[32m0.298\x1b[0m\n"),
         status="in_progress"),
    hold("cards"),
]  # fmt: skip

LONG_PATH = (
    "data/exports/customers/really_long_file_name_for_the_customers_table_of_the_quarter.parquet"
)
_FIND = (
    "find . -type f -name '*.parquet' -not -path './.git/*' -mtime +30 -size +100M -print0 | "
    'xargs -0 -n 1 -P 8 sh -c \'python -m tools.convert --input "$0" --output '
    "/tmp/\u0435\u0445ports --compression zstd --level 19' && echo done"
)
_CONVERT = {
    "command": _FIND,
    "description": "Convert every parquet file older than a month to zstd, and say so",
}

LONG: list[Step] = [
    call("r1", "Read", "read", {"file_path": LONG_PATH}, text("1\n")),
    call("b1", "Bash", "execute", _CONVERT, status="pending"),
    ask(
        (
            {"toolCallId": "b1", "kind": "execute", "title": "find", "rawInput": _CONVERT},
            [
                ONCE,
                {
                    "optionId": "always",
                    "name": "Always allow commands that start with `find . -type f`",
                    "kind": "allow_always",
                },
                NO | {"name": "Reject and tell Claude what to do differently"},
            ],
        ),
    ),
    call("e1", "Edit", "edit", {"file_path": LONG_PATH}, diff(LONG_PATH, "a\n", "b\nc\n")),
    say(
        "Renamed `customer_identifier_in_the_source_system_of_the_quarter` everywhere.\n\n"
        "Averages by site:\n\n| site | n | mean | sd | min | max |\n|---|--:|--:|--:|--:|--:|\n"
        "| Lisboa | 14,201 | 21.4 | 3.2 | 11.0 | 38.7 |\n"
        "| Køge | 2,044 | 9.1 | 4.0 | -8.2 | 31.5 |\n"
        "| Göteborg | 8,377 | 8.8 | 4.4 | -12.9 | 33.0 |\n"
    ),
    used(190_000, 200_000, 1.31),
]

OUTPUT: list[Step] = [
    call("b1", "Bash", "execute", {"command": "python dump.py", "description": "List all rows"},
         text("".join(f"row {n}  Lisboa   38.72  -9.14\n" for n in range(1, 2001))
              + "a very long line that scrolls " * 8)),
    say("These are all rows."),
]  # fmt: skip
ARABIC: list[Step] = [
    say("السبب هو الفراغ في نهاية المفتاح `site`، لذلك لا تجد 812 صفًا ما يقابلها.")
]
