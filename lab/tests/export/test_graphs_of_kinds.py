"""What the runtime reads of every kind of model."""

from graph_kind_tests import *  # noqa: F403
