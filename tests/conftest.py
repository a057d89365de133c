"""The fixtures that all folders of tests share."""

from shared_fixtures import *  # noqa: F403
