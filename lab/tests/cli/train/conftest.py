"""A corpus."""

from command_corpus import *  # noqa: F403
