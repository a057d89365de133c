"""A corpus."""

from commands.command_corpus import *  # noqa: F403
