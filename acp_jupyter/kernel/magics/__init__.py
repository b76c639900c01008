"""`%%acp` and `%acp`, their options, help, and Tab completion.

`ipython_extension` and `help` are imported when the extension is loaded, and don't
import pydantic. The rest is imported with the first cell or line. Magics call the same Python
interface as users: `acp_jupyter.kernel.session` and `acp_jupyter.kernel.turn`.
"""
