"""Prints which cells marimo runs again after each cell of notebooks has changed.

Run by the python of an environment with marimo. Standard input has the notebooks, each a list of
sources; the output has for each cell of each the indexes of the cells that depend on it.
"""

import json
import sys

import nbformat
from marimo._ast.compiler import compile_cell
from marimo._convert.converters import MarimoConvert
from marimo._runtime.dataflow import DirectedGraph, transitive_closure


def dependents(sources: list[str]) -> list[list[int]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    converted = MarimoConvert.from_ipynb(nbformat.writes(notebook)).ir
    graph = DirectedGraph()
    for index, cell in enumerate(converted.cells[: len(sources)]):
        cell_id = str(index)
        graph.register_cell(cell_id, compile_cell(cell.code, cell_id=cell_id))
    found = [transitive_closure(graph, {str(index)}) for index in range(len(sources))]
    return [sorted(int(each) for each in cells if int(each) != i) for i, cells in enumerate(found)]


if __name__ == "__main__":
    json.dump([dependents(sources) for sources in json.load(sys.stdin)], sys.stdout)
