"""The programs that run the examples."""

from port_fixtures import *  # noqa: F403
