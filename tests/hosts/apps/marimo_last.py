import marimo

app = marimo.App()


@app.cell
def _():
    import acp_jupyter

    turn = acp_jupyter.connect("demo", trust=True).prompt("create made.txt")
    turn
    return


if __name__ == "__main__":
    app.run()
