"""The exported folders of every kind of model."""

from export_kind_tests import *  # noqa: F403
