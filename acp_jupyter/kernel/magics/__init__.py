"""`%%acp` and `%acp`, their options, help, and Tab completion.

`ipython_extension`, `cell_options` and `help` are imported when the extension is loaded,
and import no pydantic. The rest is imported with the first cell or line. What a magic does is done
by `acp_jupyter.kernel.session` and `acp_jupyter.kernel.turn`, for Python as well.
"""
