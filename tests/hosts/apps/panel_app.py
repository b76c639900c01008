import panel as pn

import acp_jupyter

pn.extension("ipywidgets", sizing_mode="stretch_width")
session = acp_jupyter.connect("demo", new=True, trust=True)
turn = session.prompt("create made.txt")
pn.Column("# Agent", pn.pane.IPyWidget(turn.widget)).servable()
