"""What the runtime reads of every kind of model."""

from every_kind.graph_kind_tests import *  # noqa: F403
