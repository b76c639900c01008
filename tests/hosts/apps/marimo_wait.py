import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import acp_jupyter
    from acp_jupyter.errors import NobodyToAsk

    turn = acp_jupyter.connect("demo", trust=True).prompt("create made.txt rate=0")
    view = turn.widget
    return NobodyToAsk, mo, turn


@app.cell
def _(NobodyToAsk, mo, turn):
    try:
        said = turn.wait().stop_reason
    except NobodyToAsk as error:
        said = f"{type(error).__name__}: {error}"
    mo.md(f"Ended: {said}")
    return


if __name__ == "__main__":
    app.run()
