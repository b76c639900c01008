"""A page's conversation with the host, without a web server between them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from acp_jupyter.api.access import UserCaller
from acp_jupyter.api.channel import Channel
from acp_jupyter.api.dispatch import Dispatcher
from acp_jupyter.api.models.documents import Cell
from acp_jupyter.api.models.frames import SessionsFrame
from acp_jupyter.api.pages import PageDocuments, Pages
from acp_jupyter.api.subscription import Outbox, Subscription
from acp_jupyter.host.config import HostConfig
from acp_jupyter.host.host import AgentHost
from acp_jupyter.host.registry import Registry
from acp_jupyter.server.backend import Backend
from acp_jupyter.server.kernels import Kernels
from acp_jupyter.server.page_keys import PageKeys
from acp_jupyter.transcript.model.events import Event, TextAppended
from tests.support.host.trusted_folders import trusting
from tests.support.server.jupyter_server import fake_agents
from tests.support.transcript.event_view import View
from tests.support.wait import PATIENCE_SECONDS, eventually_async

Json = dict[str, Any]
Write = Callable[[bytes], Awaitable[None]]


class Nobody:
    """A dispatcher's surroundings without pages and kernels."""

    def holds(self, path: str) -> bool:
        return False

    async def cells(self, path: str) -> tuple[Cell, ...]:
        return ()

    async def contexts(self, path: str) -> tuple[Cell, ...]:
        return ()

    def kernel_of(self, notebook_path: str) -> str:
        return ""


class Socket:
    """Keeps what is written, and may be slow or dead."""

    def __init__(self) -> None:
        self.frames: list[Json] = []
        self.at_once = 0
        self.max_at_once = 0
        self.open = asyncio.Event()
        self.open.set()

    async def write(self, text: bytes) -> None:
        self.at_once += 1
        self.max_at_once = max(self.max_at_once, self.at_once)
        await self.open.wait()
        self.frames.append(json.loads(text))
        self.at_once -= 1

    def of(self, kind: str) -> list[Json]:
        return [frame for frame in self.frames if frame["type"] == kind]


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Backend]:
    registry = Registry(fake_agents("hello", "slow_stream", "flood"), [])
    pages = Pages(lambda path: path.name)
    host = AgentHost(
        HostConfig(
            registry,
            tmp_path,
            tmp_path / "data",
            documents=PageDocuments(pages),
            trust=trusting(tmp_path),
        )
    )
    host.start()
    yield Backend(
        host, Dispatcher(host, Nobody()), pages, cast("Kernels", None), PageKeys(b"cookies")
    )
    await asyncio.to_thread(host.stop)


def channel_to(backend: Backend, write: Write) -> Channel:
    caller = UserCaller("test")
    return Channel(backend.host, backend.dispatcher, backend.pages, caller, write)


@asynccontextmanager
async def connected(backend: Backend, write: Write) -> AsyncIterator[Channel]:
    channel = channel_to(backend, write)
    life = asyncio.create_task(channel.run())
    yield channel
    life.cancel()
    await asyncio.wait([life])


async def send(channel: Channel, **frame: Any) -> None:
    await channel.receive(json.dumps(frame))


async def ask(channel: Channel, socket: Socket, **command: Any) -> Json:
    frame_id = len(socket.frames) + 1000
    await send(channel, type="command", id=frame_id, command=command)
    replies = await eventually_async(
        lambda: [reply for reply in socket.of("reply") if reply["id"] == frame_id]
    )
    assert replies[0]["error"] is None, replies
    return dict(replies[0]["result"])


def readers(backend: Backend) -> list[bool]:
    return [session.journal.read_by_anyone for session in backend.host.sessions.values()]


@pytest.mark.asyncio
async def test_hello_is_the_first_frame(backend: Backend) -> None:
    socket = Socket()
    async with connected(backend, socket.write) as channel:
        await send(channel, type="subscribe", session_id="none")
        await eventually_async(lambda: socket.of("error"))
        assert [frame["type"] for frame in socket.frames] == ["hello", "error"]


@pytest.mark.asyncio
async def test_nothing_is_left_in_the_host_when_a_page_goes(backend: Backend) -> None:
    socket = Socket()
    async with connected(backend, socket.write) as channel:
        for _ in range(3):
            state = await ask(channel, socket, name="create_session", agent="hello", start="lazy")
            await send(channel, type="subscribe", session_id=state["session_id"])
        await send(channel, type="documents", documents=[{"path": "a.ipynb"}])
        assert readers(backend) == [True, True, True]
        assert backend.pages.holds("a.ipynb")
        await send(channel, type="unsubscribe", session_id=state["session_id"])
        await eventually_async(lambda: readers(backend) == [True, True, False])
    await eventually_async(lambda: readers(backend) == [False, False, False])
    assert not backend.pages.holds("a.ipynb")
    written = len(socket.frames)
    async with connected(backend, Socket().write) as other:
        await send(other, type="command", id=1, command={"name": "list_agents"})
    assert len(socket.frames) == written


@pytest.mark.asyncio
async def test_a_page_that_goes_at_once_leaves_nothing(backend: Backend) -> None:
    channel = Channel(
        backend.host, backend.dispatcher, backend.pages, UserCaller("x"), Socket().write
    )
    await send_soon(channel)
    channel.close()
    channel.close()
    assert not backend.pages.holds("a.ipynb")


async def send_soon(channel: Channel) -> None:
    """Start to receive before the channel runs, as a socket that is closed at once does."""
    early = asyncio.create_task(
        send(channel, type="documents", documents=[{"path": "a.ipynb"}]), name="early"
    )
    await asyncio.sleep(0)
    early.cancel()
    await asyncio.wait([early])


@pytest.mark.asyncio
async def test_a_slow_socket_gets_less_and_misses_nothing(backend: Backend) -> None:
    socket = Socket()
    async with connected(backend, socket.write) as channel:
        state = await ask(channel, socket, name="create_session", agent="slow_stream")
        session = backend.host.sessions.require(state["session_id"])
        await send(channel, type="subscribe", session_id=state["session_id"])
        view = View()
        applied = 0

        def done() -> bool:
            nonlocal applied
            frames = socket.of("events")
            for frame in frames[applied:]:
                view.apply(frame)
            applied = len(frames)
            return any(turn["status"] == "done" for turn in view.turns.values())

        turn = await ask(
            channel, socket, name="prompt", session_id=state["session_id"], prompt="go"
        )
        socket.open.clear()
        await eventually_async(lambda: session.transcript.turns[turn["turn_id"]].status == "done")
        before = len(socket.of("events"))
        socket.open.set()
        await eventually_async(done)
    assert socket.max_at_once == 1
    assert "".join(f"word{number} " for number in range(200)) in view.text()
    assert applied - before < 20, "200 chunks came while it took nothing"


@pytest.mark.asyncio
async def test_a_fast_socket_gets_a_flush_per_33_ms_at_most(backend: Backend) -> None:
    socket = Socket()
    async with connected(backend, socket.write) as channel:
        state = await ask(channel, socket, name="create_session", agent="flood")
        await send(channel, type="subscribe", session_id=state["session_id"])
        started = asyncio.get_running_loop().time()
        turn = await ask(
            channel, socket, name="prompt", session_id=state["session_id"], prompt="go"
        )
        await ask(channel, socket, name="get_turn", turn_id=turn["turn_id"], wait_seconds=30)
        passed = asyncio.get_running_loop().time() - started
        assert len(socket.of("events")) <= passed / 0.033 + 3


@pytest.mark.asyncio
async def test_a_dead_socket_ends_the_channel(backend: Backend) -> None:
    async def broken(_text: bytes) -> None:
        raise ConnectionResetError

    channel = channel_to(backend, broken)
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(channel.run(), PATIENCE_SECONDS)


@pytest.mark.asyncio
async def test_a_page_that_reads_nothing_is_given_up(backend: Backend) -> None:
    socket = Socket()
    channel = Channel(
        backend.host, backend.dispatcher, backend.pages, UserCaller("x"), socket.write
    )
    life = asyncio.create_task(channel.run())
    await eventually_async(lambda: socket.of("hello"))
    socket.open.clear()
    for _ in range(1100):
        await channel.receive("nonsense")
    socket.open.set()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(life), PATIENCE_SECONDS)
    assert len(socket.frames) < 1100


@pytest.mark.asyncio
async def test_so_many_commands_at_once_and_no_more(backend: Backend) -> None:
    socket = Socket()
    async with connected(backend, socket.write) as channel:
        state = await ask(channel, socket, name="create_session", agent="slow_stream")
        turn = await ask(
            channel, socket, name="prompt", session_id=state["session_id"], prompt="go"
        )
        command = {"name": "get_turn", "turn_id": turn["turn_id"], "wait_seconds": 30}
        for number in range(70):
            await send(channel, type="command", id=number, command=command)
        refused = await eventually_async(lambda: [r for r in socket.of("reply") if r["error"]])
        assert "Too many commands" in refused[0]["error"]["message"]


@pytest.mark.asyncio
async def test_turns_begin_in_the_order_of_their_prompts(backend: Backend, tmp_path: Path) -> None:
    """Secrets are read before each, in threads; the first one has them all to read."""
    secrets = "".join(f"TOKEN_{number}={number:060d}\n" for number in range(700))
    for number in range(20):
        (tmp_path / f".env.{number}").write_text(secrets)
    prompts = [f"prompt {number}" for number in range(12)]
    socket = Socket()
    async with connected(backend, socket.write) as channel:
        state = await ask(channel, socket, name="create_session", agent="hello")
        about = {"name": "prompt", "session_id": state["session_id"]}
        for number, prompt in enumerate(prompts):
            command = {**about, "prompt": prompt}
            await send(channel, type="command", id=number, command=command)
        await eventually_async(lambda: [r for r in socket.of("reply") if r["id"] == 11])
        page = await ask(channel, socket, **{**about, "name": "get_items", "start": 0, "end": 99})
    sent = [item["text"] for item in page["items"] if item["kind"] == "user_message"]
    assert sent == prompts


@pytest.mark.asyncio
async def test_what_waits_for_a_slow_reader_is_merged() -> None:
    outbox = Outbox(Socket().write)
    subscription: Subscription = outbox.add("s")
    for number in range(50_000):
        event: Event = TextAppended(
            session_id="s", seq=number, item_id="i", field="text", offset=number, text="x"
        )
        subscription.push([event])
    (event,) = subscription.take()
    assert isinstance(event, TextAppended)
    assert (event.seq, event.offset, len(event.text)) == (49_999, 0, 50_000)


@pytest.mark.asyncio
async def test_an_answer_does_not_wait_for_the_events_of_a_hundred_sessions() -> None:
    written: list[str] = []

    async def write(text: bytes) -> None:
        frame = json.loads(text)
        written.append(frame.get("session_id") or frame["type"])
        if len(written) == 10:
            outbox.put(SessionsFrame(sessions=()))

    outbox = Outbox(write)
    names = [f"s{number}" for number in range(100)]

    def push() -> None:
        for name in names:
            event = TextAppended(
                session_id=name, seq=1, item_id="i", field="text", offset=0, text="x"
            )
            subscriptions[name].push([event])

    subscriptions = {name: outbox.add(name) for name in names}
    await asyncio.to_thread(push)
    sending = asyncio.create_task(outbox.run())
    await eventually_async(lambda: len(written) == 101)
    sending.cancel()
    assert written[10] == "sessions"
    assert sorted(written) == sorted(["sessions", *names])
