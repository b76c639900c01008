import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import acp_jupyter
    from acp_jupyter.widgets import PlanWidget

    session = acp_jupyter.connect("demo", trust=True, policy="accept-edits")
    turn = session.prompt("create made.txt")
    turn
    return PlanWidget, mo, session, turn


@app.cell
def _(mo, turn):
    mo.ui.anywidget(turn.widget)
    return


@app.cell
def _(PlanWidget, session):
    session.prompt("plan rate=0").wait()
    PlanWidget(session)
    return


@app.cell
def _():
    import acp_jupyter as fresh

    fresh.connect("demo", new=True, trust=True).prompt("create asked.txt")
    return


if __name__ == "__main__":
    app.run()
