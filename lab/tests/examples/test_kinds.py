"""The ports on every kind of model."""

from port_kind_tests import *  # noqa: F403
