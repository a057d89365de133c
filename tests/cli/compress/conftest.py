"""Models and data to compress."""

from commands.compress_fixtures import *  # noqa: F403
