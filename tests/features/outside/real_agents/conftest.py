"""What holds for all tests of published agents."""

from tests.real_agents.conftest import (
    _nothing_is_called_its_users,
    _servers_reach_the_level,
    told,
)

__all__ = ["_nothing_is_called_its_users", "_servers_reach_the_level", "told"]
