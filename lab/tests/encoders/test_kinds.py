"""What holds for the model files of every kind."""

from kind_tests import *  # noqa: F403
