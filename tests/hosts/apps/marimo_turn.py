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
    return mo, turn, view


@app.cell
def _(mo, turn, view):
    view.value  # this cell runs again at the end of the turn
    mo.md(f"The turn is {turn.status}. Files changed: {len(turn.diffs)}.")
    return


if __name__ == "__main__":
    app.run()
