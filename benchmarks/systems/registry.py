"""The systems by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.systems.contract import System
from benchmarks.systems.minilm import MiniLMEncoder, build_minilm, minilm_files
from benchmarks.systems.model2vec import Model2VecEncoder, build_model2vec, model2vec_files
from benchmarks.systems.nearest import NearestByProduct
from benchmarks.systems.ours import PocketIntent
from benchmarks.systems.tfidf import Tfidf
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.plugins import installed_plugins

_GROUP = "pocketintent.benchmarks"

SHIPPED = ("default", "fast", "tiny")
"""The shipped models, each a system by its name."""


def _shipped(name: str, native: bool = False) -> Callable[[Path | None], System]:
    return lambda _: PocketIntent(name, native=native)


SYSTEMS: Mapping[str, Callable[[Path | None], System]] = {
    "pocketintent": PocketIntent,
    "pocketintent-native": lambda model: PocketIntent(model, native=True),
    "pocketintent-exact": lambda model: PocketIntent(model, search="exact"),
    "pocketintent-centroid": lambda model: PocketIntent(model, decision="nearest+centroid"),
    **{name: _shipped(name) for name in SHIPPED},
    **{f"native-{name}": _shipped(name, native=True) for name in SHIPPED},
    "model2vec": lambda _: NearestByProduct(build_model2vec, Model2VecEncoder, model2vec_files),
    "minilm-int8": lambda _: NearestByProduct(build_minilm, MiniLMEncoder, minilm_files),
    "tfidf": lambda _: Tfidf(),
}
"""Makers of systems, called with the model file of ``pocketintent``, or None for the default model.

``default``, ``fast`` and ``tiny`` are the shipped models. The core in C matches in
``pocketintent-native``, ``native-default`` and so on. ``pocketintent-exact`` searches without
quantised templates, ``pocketintent-centroid`` decides by ``nearest+centroid``. Other distributions
add systems by entry points of the group ``pocketintent.benchmarks``, which are classes that need no
model.
"""


def system_names() -> tuple[str, ...]:
    """The names that :func:`make_system` knows."""
    return (*SYSTEMS, *installed_plugins(_GROUP))


def make_system(name: str, model: Path | None = None) -> System:
    """A system by its name.

    Args:
        name: One of :func:`system_names`.
        model: The model file of ``pocketintent``; the default model when None.

    Raises:
        PocketIntentError: There is no such system.
    """
    if name in SYSTEMS:
        return SYSTEMS[name](model)
    plugins = installed_plugins(_GROUP)
    if name not in plugins:
        names = ", ".join(system_names())
        raise PocketIntentError(f"unknown system {name!r}; the systems are {names}")
    system: System = plugins[name].load()()
    return system
