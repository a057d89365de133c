"""The exported folders of every kind of model."""

from every_kind.export_kind_tests import *  # noqa: F403
