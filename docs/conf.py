"""Sphinx's configuration of the documentation; `make docs` builds it."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from acp_jupyter._version import __version__

project = "acp-jupyter"
author = "acp-jupyter contributors"
copyright = author
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["_extra"]

# -- pages ---------------------------------------------------------------------

nb_execution_mode = "off"  # the notebooks are tests of their own; here their outputs are shown
nb_merge_streams = True
nb_render_markdown_format = "myst"  # which has tables
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["myst.strikethrough"]

# -- Python --------------------------------------------------------------------

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
python_use_unqualified_type_names = True
default_role = "code"

# -- site ----------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "acp-jupyter"
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_context = {"default_mode": "auto"}
html_favicon = "_static/icon.svg"
# Pages without others below them need no navigation of a section.
html_sidebars = {
    page: list[str]()
    for page in (
        "index",
        "tutorial",
        "security",
        "troubleshooting",
        "coming-from",
        "changelog",
        "contributing",
        "search",
    )
}
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "collapse_navigation": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\$ "
copybutton_prompt_is_regexp = True


def _add_turns(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Add what draws saved turns, to the notebooks alone."""
    if page.startswith("examples/"):
        app.add_css_file("jupyter-themes.css")
        app.add_js_file("turns.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Connect the event."""
    app.connect("html-page-context", _add_turns)
