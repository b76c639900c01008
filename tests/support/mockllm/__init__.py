"""A scripted model on loopback, so that published agents run without a network and without a key.

The scenario is named in the prompt, ``[[mock scenario=write_file cwd=/folder rate=50]]``; the last
marker wins. Stateless: which turn it is follows from the tool calls that the conversation holds.
"""

from tests.support.mockllm.server import FakeModel

__all__ = ["FakeModel"]
