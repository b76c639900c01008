import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import acp_jupyter

    session = acp_jupyter.connect("demo", trust=True)
    turn = session.prompt("create made.txt")
    view = mo.ui.anywidget(turn.widget)
    view
    return mo, view


@app.cell
def _(mo, view):
    status = view.value["status"]  # this cell runs again when it changes
    mo.md(f"The turn is {status}. Tool calls: {len(view.tool_calls)}.")
    return


if __name__ == "__main__":
    app.run()
