"""A notebook that is open in JupyterLab or Notebook 7."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat.reader import NotJSONError
from playwright.sync_api import Locator, expect

from tests.support.browser.roles import TurnView
from tests.support.kernel.notebook_file import claims, is_final, read_notebook
from tests.support.wait import PATIENCE_SECONDS, eventually

if TYPE_CHECKING:
    from tests.support.browser.lab import LabPage

__all__ = ["OpenNotebook"]


_FIND = """path => [...jupyterapp.shell.widgets('main')]
  .find(w => w.context && w.context.path === path && w.content && w.content.widgets)"""


class OpenNotebook:
    """A notebook in a page.

    Parameters
    ----------
    lab
        The page.
    path
        Relative to the server's root.
    """

    def __init__(self, lab: LabPage, path: str) -> None:
        self.lab = lab
        self.path = path
        self._page = lab.page

    @property
    def file(self) -> Path:
        return self.lab.server.root / self.path

    # -- cells -----------------------------------------------------------------

    def cell(self, index: int) -> Locator:
        # The index in the notebook: older versions only hold the cells that are in view.
        return self._page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"]')

    def output(self, index: int) -> Locator:
        return self.cell(index).locator(".jp-Cell-outputWrapper")

    def scroll_to(self, index: int) -> None:
        """Go to a cell; JupyterLab brings those of a long notebook into the page one by one."""
        # JupyterLab 4.2 to 4.4 hide those that are out of view.
        self.evaluate("({ content }, index) => void content.scrollToItem(index)", index)
        expect(self.cell(index)).to_be_visible()
        self.cell(index).scroll_into_view_if_needed()

    def turn(self, index: int = 0) -> TurnView:
        """The turn in the output of a cell."""
        return TurnView(self.output(index))

    def cell_ids(self) -> list[str]:
        """Return the ids of the cells in the open document, saved or not."""
        ids: list[str] = self.evaluate(
            "notebook => [...notebook.content.model.sharedModel.cells].map(cell => cell.id)"
        )
        return ids

    def prompt_mark(self, index: int) -> Locator:
        """What stands left of a cell: ``[*]:`` while it runs."""
        return self.cell(index).locator(".jp-InputPrompt")

    def set_source(self, index: int, source: str) -> None:
        """Type over a cell; a cell after the last is added."""
        self.evaluate(
            """(notebook, [index, source]) => {
              const shared = notebook.content.model.sharedModel;
              if (index >= shared.cells.length) {
                shared.addCell({cell_type: 'code', source: ''});
              }
              shared.getCell(index).setSource(source);
            }""",
            [index, source],
        )

    def delete_cell(self, index: int) -> None:
        self.evaluate(
            "(notebook, index) => notebook.content.model.sharedModel.deleteCell(index)", index
        )

    def run(self, index: int = 0, source: str | None = None) -> TurnView:
        """Start a cell, and return the turn that will be in its output."""
        if source is not None:
            self.set_source(index, source)
        # In one go: whatever takes the focus meanwhile makes its own cell the active one.
        self.evaluate(
            """(notebook, index) => {
              jupyterapp.shell.activateById(notebook.id);
              notebook.content.deselectAll();
              notebook.content.activeCellIndex = index;
              jupyterapp.commands.execute('notebook:run-cell').catch(() => null);
            }""",
            index,
        )
        return self.turn(index)

    def run_to_end(
        self, index: int, source: str | None = None, seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Run a cell and wait for the kernel."""
        self.run(index, source)
        self.wait_for_end(index, seconds)

    def wait_until_running(self, index: int) -> None:
        expect(self.prompt_mark(index)).to_contain_text("*")

    def wait_for_end(self, index: int, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until the kernel is through with a cell."""
        expect(self.prompt_mark(index)).to_contain_text("[", timeout=seconds * 1000)
        expect(self.prompt_mark(index)).not_to_contain_text("*", timeout=seconds * 1000)

    # -- kernel ----------------------------------------------------------------

    def wait_for_kernel(self) -> None:
        self._page.wait_for_function(
            f"""path => {{
              const context = ({_FIND})(path)?.sessionContext;
              return context?.isReady && context.session?.kernel?.connectionStatus === 'connected';
            }}""",
            arg=self.path,
        )

    def load_extension(self) -> None:
        """Make the first cell of a notebook useless for anything else."""
        self.wait_for_kernel()
        self.run_to_end(0, "%load_ext acp_jupyter")

    def interrupt(self) -> None:
        self._activate()
        self.lab.command("notebook:interrupt-kernel")

    def restart(self) -> None:
        self.evaluate("notebook => notebook.sessionContext.session.kernel.restart()")
        self.wait_for_kernel()

    def kernel_id(self) -> str:
        return str(self.evaluate("notebook => notebook.sessionContext.session.kernel.id"))

    # -- document --------------------------------------------------------------

    def wait_until_ready(self) -> None:
        self._page.wait_for_function(
            f"""path => {{
              const notebook = ({_FIND})(path);
              if (!notebook?.context.isReady || notebook.content.widgets.length === 0) {{
                return false;
              }}
              const {{ context }} = notebook;
              if (context.isSaving === undefined) {{
                context.isSaving = false;
                context.saveState.connect((_, state) => {{
                  context.isSaving = state === 'started';
                }});
              }}
              return true;
            }}""",
            arg=self.path,
        )

    def wait_until_clean(self) -> None:
        """Wait until nothing is left to be saved."""
        self._page.wait_for_function(
            f"path => ({_FIND})(path).context.model.dirty === false", arg=self.path
        )

    def save(self) -> None:
        """Save as by Ctrl+S, once no other save is under way.

        JupyterLab takes a save that it has not finished for a change by somebody else, and asks.
        """
        self.evaluate(
            """async ({ context }) => {
              while (context.isSaving) {
                await new Promise(resolve => context.saveState.connect(resolve));
              }
              await context.save();
            }"""
        )

    def close(self) -> None:
        """Close its tab; unsaved changes are gone, its kernel goes on."""
        self.evaluate("notebook => notebook.dispose()")

    def touch(self) -> None:
        """Change what is saved and nobody sees."""
        self.evaluate("notebook => notebook.content.model.setMetadata('touched', Date.now())")

    def read(self) -> Any:
        """Return what is on disk, once it is whole."""

        def whole() -> Any:
            try:
                return read_notebook(self.file)
            except NotJSONError:
                return None

        return eventually(whole, what=f"{self.path} is a notebook")

    def final_output(self, index: int) -> Any:
        """Wait until the page has the record of a finished turn in a cell; return that output."""

        def final() -> Any:
            return next(filter(is_final, self.outputs(index)), None)

        return eventually(final, f"the final output in cell {index}")

    def saved_output(self, index: int) -> Any:
        """Wait until the file holds the record of a finished turn in a cell; return that output."""

        def final() -> Any:
            return next(filter(is_final, self._saved_outputs(index)), None)

        return eventually(final, f"the final output saved in cell {index}")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """Return a cell's outputs in the page's model."""
        text = self.evaluate(
            "(notebook, index) =>"
            " JSON.stringify(notebook.content.model.cells.get(index).outputs.toJSON())",
            index,
        )
        outputs: list[dict[str, Any]] = json.loads(text)
        return outputs

    def saved_output_of(self, index: int, turn_id: str) -> Any:
        """Wait until the file holds an output of that turn in a cell, final or not."""

        def named() -> Any:
            saved = self._saved_outputs(index)
            return next((output for output in saved if claims(output, turn_id)), None)

        return eventually(named, f"turn {turn_id} saved in cell {index}")

    def _saved_outputs(self, index: int) -> list[Any]:
        cells = self.read().cells
        return list(cells[index].get("outputs", [])) if index < len(cells) else []

    def _activate(self) -> None:
        self.evaluate("notebook => jupyterapp.shell.activateById(notebook.id)")

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """Call a function with the notebook's widget, and what else it takes."""
        return self._page.evaluate(
            f"([path, argument]) => ({function})(({_FIND})(path), argument)",
            [self.path, argument],
        )
