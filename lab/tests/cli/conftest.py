"""Models and data to compress."""

from compress_fixtures import *  # noqa: F403
