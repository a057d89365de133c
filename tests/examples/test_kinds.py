"""The ports on every kind of model."""

from every_kind.port_kind_tests import *  # noqa: F403
