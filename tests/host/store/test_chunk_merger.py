"""Chunks that are taken together say what they say one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from acp_jupyter.host.store.chunk_merger import ChunkMerger
from acp_jupyter.protocol.host_events.notes import SessionOpened
from acp_jupyter.protocol.traffic import TrafficEntry
from acp_jupyter.protocol.traffic_reader import TrafficReader
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce.reducer import reduce
from acp_jupyter.transcript.reduce.session_facts import opened_transcript

KINDS = ("agent_message_chunk", "agent_thought_chunk", "tool_call_update", "user_message_chunk")

updates = st.lists(
    st.tuples(st.sampled_from(KINDS), st.text(max_size=5), st.sampled_from((None, "m1", "m2", 7))),
    max_size=30,
)


def entry(seq: int, kind: str, text: str, message_id: object) -> TrafficEntry:
    update: dict[str, object] = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    if kind == "tool_call_update":
        update = {"sessionUpdate": kind, "toolCallId": "t", "title": text}
    elif message_id is not None:
        update["messageId"] = message_id
    params = {"sessionId": "s", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return TrafficEntry(seq, 1.0, "<", message)


def read(entries: list[TrafficEntry]) -> Transcript:
    opening = SessionOpened(session_id="s", agent_id="a", agent_name="A", cwd="/w", folder="/w")
    transcript, reader = opened_transcript(opening, 1.0), TrafficReader()
    for each in entries:
        for packet in reader.read(each):
            transcript, _ = reduce(transcript, packet, each.t)
    return transcript


def joined(entries: list[TrafficEntry]) -> list[TrafficEntry]:
    burst, out = ChunkMerger(), list[TrafficEntry]()
    for each in entries:
        if burst.add(each):
            continue
        taken = burst.take()
        out += [] if taken is None else [taken]
        if not burst.add(each):
            out.append(each)
    last = burst.take()
    return out if last is None else [*out, last]


@given(updates)
def test_the_transcript_is_the_same(said: list[tuple[str, str, object]]) -> None:
    entries = [entry(seq, *each) for seq, each in enumerate(said, 1)]
    alone, together = read(entries), read(joined(entries))
    total = len(alone.items)
    assert alone.window(0, total) == together.window(0, len(together.items))


def test_many_chunks_are_one_step() -> None:
    entries = [entry(seq, "agent_message_chunk", "x", None) for seq in range(1, 1001)]
    (one,) = joined(entries)
    assert one.seq == 1000
    assert one.message["params"]["update"]["content"]["text"] == "x" * 1000
