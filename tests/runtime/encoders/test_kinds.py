"""What holds for the model files of every kind."""

from every_kind.kind_tests import *  # noqa: F403
