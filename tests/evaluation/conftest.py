"""A data set of intents."""

from intent_folders import *  # noqa: F403
