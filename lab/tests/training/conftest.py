"""The fixtures of training."""

from training_fixtures import *  # noqa: F403
