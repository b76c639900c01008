"""The tools for tables of the kernel: list them, describe one, query one.

A query is code of this package that runs as the agent's own code does, with the same permission. It
is checked before the user is asked, and again when it runs.
"""

from __future__ import annotations

from acp_jupyter.notebook_tools.context import CallContext, ToolError
from acp_jupyter.notebook_tools.kernel_tools import OUTSIDE, add_result
from acp_jupyter.notebook_tools.outputs import Reply
from acp_jupyter.notebook_tools.tool_permissions import ToolAction
from acp_jupyter.notebook_tools.tools import DescribeTable, Query
from acp_jupyter.protocol.formatting import shorten_middle

_EXTRA_SECONDS = 20.0
"""Time for the query's own limit to end it."""
_CODE = (
    "__import__('acp_jupyter.kernel.queries.run_query', fromlist=['_'])"
    ".show_query({name!r}, {sql!r}, {limit!r}, {seconds!r})"
)


async def list_tables(context: CallContext) -> Reply:
    """List the tables and connections of the kernel."""
    found = await context.runner.tables(context.kernel_id)
    reply = Reply()
    if found.found:
        reply.data(f"tables of {context.target.kernel}", found.text)
    else:
        reply.add_text("There are no tables and no connections in the kernel.")
    return reply


async def describe_table(context: CallContext, call: DescribeTable) -> Reply:
    """Describe a table or a connection."""
    found = await context.runner.tables(context.kernel_id, call.name, call.table)
    if not found.found:
        return Reply.failure(found.text)
    reply = Reply()
    origin = f"description of {call.name} in {context.target.kernel}"
    reply.data(origin, shorten_middle(found.text, 20_000))
    return reply


async def query(context: CallContext, call: Query) -> Reply:
    """Query a table."""
    kernel_id = context.kernel_id
    context.permissions.refuse_forbidden()
    refusal = await context.runner.tables(kernel_id, call.name, sql=call.sql)
    if refusal.found:
        raise ToolError(f"The query was not run: {refusal.text}")
    action = ToolAction(
        tool=call.tool,
        arguments=context.arguments,
        kind="execute",
        words=f"query {call.name} in {context.target.kernel_name}",
        title=f"Query {call.name} in {context.target.kernel}",
        location=str(context.target.path),
        reason=OUTSIDE if context.permissions.confined else "",
    )
    card = await context.permissions.request(action)
    await context.place.first()
    reply = Reply()
    try:
        result = await context.code.execute(
            kernel_id,
            _CODE.format(
                name=call.name, sql=call.sql, limit=call.limit, seconds=call.timeout_seconds
            ),
            timeout_seconds=call.timeout_seconds + _EXTRA_SECONDS,
            on_printed=card.print,
            goes_on=context.turn_goes_on,
        )
        await add_result(
            context, reply, f"the query of {call.name} in {context.target.name}", result
        )
    finally:
        card.done(failed=reply.failed or not reply.parts, text=reply.text)
    return reply
