from shiny import reactive
from shiny.express import ui
from shinywidgets import render_widget

import acp_jupyter

ui.h1("Agent")


@render_widget
def turn():
    session = acp_jupyter.connect("demo", new=True, trust=True)
    return session.prompt("create made.txt").widget


@reactive.effect
def _():
    reactive.invalidate_later(0.2)  # Shiny sends what a widget has to say when it flushes
