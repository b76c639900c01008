"""The dashboard of ``dashboard.ipynb`` as a marimo app: ``marimo run`` or ``marimo edit`` it."""

import marimo

app = marimo.App(app_title="A dashboard", width="medium")


@app.cell
def _():
    from html import escape
    from pathlib import Path

    import marimo as mo

    from acp_jupyter import connect
    from acp_jupyter.widgets import (
        ComposerWidget,
        DiffsWidget,
        PermissionWidget,
        PlanWidget,
        TextWidget,
        ToolCallsWidget,
    )

    return (
        ComposerWidget,
        DiffsWidget,
        Path,
        PermissionWidget,
        PlanWidget,
        TextWidget,
        ToolCallsWidget,
        connect,
        escape,
        mo,
    )


@app.cell
def _(mo):
    mo.md("""
    # A dashboard

    A turn in parts, each an anywidget that `mo.ui.anywidget` makes reactive: a cell that reads the
    `value` of a part runs again whenever the status of the turn changes. Choose a data set, and
    press *Send*. The agent asks before it writes: the answer is a button, never code.
    """)
    return


@app.cell
def _(Path, connect):
    folder = Path("dashboard")
    folder.mkdir(exist_ok=True)
    for name in ("rain", "sun", "wind"):
        rows = ["month,value", *(f"{month},{len(name) * month}  " for month in range(1, 5))]
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
    # Each who opens the app has a session of their own.
    session = connect("demo", new=True)
    return folder, session


@app.cell
def _(folder, mo):
    data_set = mo.ui.dropdown(
        sorted(path.name for path in folder.glob("*.csv")), value="rain.csv", label="Data set"
    )
    return (data_set,)


@app.cell
def _(
    ComposerWidget,
    DiffsWidget,
    PermissionWidget,
    PlanWidget,
    TextWidget,
    ToolCallsWidget,
    mo,
    session,
):
    composer = ComposerWidget(session)
    plan = mo.ui.anywidget(PlanWidget(session))
    calls = mo.ui.anywidget(ToolCallsWidget(session))
    diffs = mo.ui.anywidget(DiffsWidget(session))
    asked = mo.ui.anywidget(PermissionWidget(session))
    text = mo.ui.anywidget(TextWidget(session))
    return asked, calls, composer, diffs, plan, text


@app.cell
def _(composer, data_set):
    # Nothing is sent until its user sends it.
    composer.value = f"edit dashboard/{data_set.value}"
    return


@app.cell
def _(mo, plan):
    status = mo.md(plan.value["status"] or "no turn yet")
    return (status,)


@app.cell
def _(escape, mo, plan):
    def chart(tool_calls):
        timed = [call for call in tool_calls if call["started_at"]]
        if not timed:
            return "No tool calls yet."
        start = min(call["started_at"] for call in timed)
        ends = [call["ended_at"] or call["started_at"] for call in timed]
        whole = max(max(ends) - start, 0.1)
        bars = []
        for row, (call, end) in enumerate(zip(timed, ends, strict=True)):
            x = 100 * (call["started_at"] - start) / whole
            width = max(100 * (end - call["started_at"]) / whole, 1)
            bars.append(
                f'<rect x="{x:.1f}%" y="{row * 24 + 15}" width="{width:.1f}%" height="5" rx="2"/>'
                f'<text x="0" y="{row * 24 + 11}" font-size="11">{escape(call["title"])}'
                f" · {end - call['started_at']:.1f} s</text>"
            )
        return (
            f'<svg width="100%" height="{len(timed) * 24}" fill="currentColor" role="img"'
            f' aria-label="Tool calls by time">{"".join(bars)}</svg>'
        )

    # Each part has all traits; this one is always in sight, and only such a one is reactive.
    _ = plan.value
    timeline = mo.Html(chart(plan.tool_calls))
    return (timeline,)


@app.cell
def _(
    asked,
    calls,
    composer,
    data_set,
    diffs,
    mo,
    plan,
    status,
    text,
    timeline,
):
    def titled(title, shown):
        return mo.vstack([mo.md(f"**{title}**"), shown])

    mo.vstack(
        [
            mo.hstack([data_set, status], justify="start"),
            composer,
            mo.hstack([titled("Plan", plan), titled("Changes", diffs)], widths="equal"),
            mo.hstack(
                [titled("Tool calls by time", timeline), titled("Asked", asked)], widths="equal"
            ),
            mo.accordion({"Answer": text, "Tool calls": calls}),
        ]
    )
    return


if __name__ == "__main__":
    app.run()
