"""The programs that run the examples."""

from exports.port_fixtures import *  # noqa: F403
