from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.published import in_a_page
from tests.support.published.authors_told import PROPERTY, ToldAuthors
from tests.support.published.chosen_sandbox import LEVEL, path_at
from tests.support.published.on_a_server import AGENTS, Place, place_of
from tests.support.published.programs import Published
from tests.support.published.session import PublishedSession


@pytest.fixture(scope="session", autouse=True)
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToldAuthors]:
    authors = ToldAuthors(tmp_path_factory.getbasetemp())
    yield authors
    authors.check()  # what was told when the last server stopped


@pytest.fixture(scope="session", autouse=True)
def _servers_reach_the_level(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path_at(LEVEL, tmp_path_factory.mktemp("path")))
        yield


@pytest.fixture(autouse=True)
def _nothing_is_called_its_users(
    told: ToldAuthors, record_property: Callable[[str, object], None], tmp_path: Path
) -> Iterator[None]:
    """Nobody saves a file while an agent of these tests works, but for what a test says.

    The folder is asked for so that the test's own server has ended, and its logs are there.
    """
    assert tmp_path.is_dir()
    yield
    # Plain tuples: these go from worker to worker.
    record_property(PROPERTY, [tuple(each) for each in told.check()])


@pytest.fixture(scope="session", params=AGENTS)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """One process for most tests: it takes seconds to start."""
    agent: Published = request.param
    with place_of(agent, tmp_path_factory.mktemp(agent.agent_id)) as place:
        yield place


@pytest.fixture
def talk(place: Place) -> Iterator[PublishedSession]:
    yield place.talk
    place.talk.settle()


@pytest.fixture
def agent(place: Place) -> Published:
    return place.agent


@pytest.fixture(scope="module", params=in_a_page.AGENTS)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[in_a_page.Place]:
    """JupyterLab with an agent, for all tests of a module."""
    agent: Published = request.param
    folder = tmp_path_factory.mktemp(agent.agent_id)
    with in_a_page.place_in_the_page(agent, folder, browser) as place:
        yield place
