"""The description of a multi-resolution embedding, and its JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import orjson

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.regular import read_regular
from pocketintent_lab.training.multires.functions import Combination

_TOLERANCE = 1e-6
_LARGEST = 1e6


@dataclass(frozen=True)
class Mixture:
    """The arguments of f_mixture for one source."""

    source: str
    """The source, see :func:`pocketintent_lab.training.multires.sources.open_source`."""
    layers: tuple[int, ...] | None = None
    """Numbers of layers, from 0; None for all. A negative number counts from the end."""
    weights: tuple[float, ...] | None = None
    """m, one weight for each layer, which sum to 1; None for equal weights."""
    combine: Combination = "sum"
    """How the layers are combined."""
    idf: bool = False
    """Whether a word is weighted by its IDF."""

    def layers_of(self, num_layers: int) -> tuple[list[int], list[float]]:
        """The numbers of the layers and their weights.

        Args:
            num_layers: Number of layers of the source.

        Raises:
            PocketIntentError: The source does not have a layer, or the number of weights differs.
        """
        layers = list(range(num_layers)) if self.layers is None else list(self.layers)
        for layer in layers:
            if not -num_layers <= layer < num_layers:
                raise PocketIntentError(
                    f"{self.source}: there is no layer {layer}; the layers are 0 to "
                    f"{num_layers - 1}"
                )
        weights = [1 / len(layers)] * len(layers) if self.weights is None else list(self.weights)
        if len(weights) != len(layers):
            raise PocketIntentError(
                f"{self.source}: there are {len(weights)} weights for {len(layers)} layers"
            )
        return layers, weights


@dataclass(frozen=True)
class Ensemble:
    """The arguments of f_ensemble; a single mixture is an ensemble of one."""

    mixtures: tuple[Mixture, ...]
    """The mixtures X', at least one."""
    weights: tuple[float, ...] | None = None
    """u, one weight for each mixture; None for weights of 1."""
    combine: Combination = "concatenate"
    """How the mixtures are combined."""

    @property
    def uses_idf(self) -> bool:
        """Whether a mixture weights words by their IDF."""
        return any(mixture.idf for mixture in self.mixtures)

    def with_idf(self, idf: bool) -> Ensemble:
        """The ensemble with or without the IDF of words in all mixtures."""
        return replace(self, mixtures=tuple(replace(m, idf=idf) for m in self.mixtures))


def read_ensemble(path: str | Path) -> Ensemble:
    """Read the JSON file of an ensemble.

    The file is an object with ``mixtures``, a list of objects with the fields of :class:`Mixture`,
    and optionally ``weights`` and ``combine``. A source that is a file or folder is relative to
    the file.

    Args:
        path: The file.

    Raises:
        PocketIntentError: The file cannot be read, or breaks the format.
    """
    path = Path(path)
    try:
        content = orjson.loads(read_regular(path))
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}: not JSON: {error}") from error
    _check_keys(content, Ensemble, str(path))
    entries = content.get("mixtures")
    if not isinstance(entries, list) or not entries:
        raise PocketIntentError(f'{path}: "mixtures" must be a list of at least one object')
    mixtures = [
        _read_mixture(entry, path, f"{path}, mixture {number}")
        for number, entry in enumerate(entries, 1)
    ]
    weights = _read_weights(content, str(path))
    if weights is not None and len(weights) != len(mixtures):
        raise PocketIntentError(
            f"{path}: there are {len(weights)} weights for {len(mixtures)} mixtures"
        )
    combine = _read_combination(content, "concatenate", str(path))
    return Ensemble(tuple(mixtures), weights, combine)


def _read_mixture(entry: object, path: Path, place: str) -> Mixture:
    _check_keys(entry, Mixture, place)
    assert isinstance(entry, dict)
    source = entry.get("source")
    if not isinstance(source, str) or not source:
        raise PocketIntentError(f'{place}: "source" must name a model or a folder')
    layers = entry.get("layers")
    if layers is not None and (
        not isinstance(layers, list) or not layers or any(type(n) is not int for n in layers)
    ):
        raise PocketIntentError(f'{place}: "layers" must be a list of whole numbers')
    weights = _read_weights(entry, place)
    if weights is not None and abs(sum(weights) - 1) > _TOLERANCE:
        raise PocketIntentError(
            f"{place}: the weights of the layers must sum to 1, not {sum(weights):g}"
        )
    idf = entry.get("idf", False)
    if type(idf) is not bool:
        raise PocketIntentError(f'{place}: "idf" must be true or false, not {idf!r}')
    beside = path.parent / source
    return Mixture(
        str(beside) if beside.exists() else source,
        None if layers is None else tuple(layers),
        weights,
        _read_combination(entry, "sum", place),
        idf,
    )


def _check_keys(entry: object, cls: type[Any], place: str) -> None:
    if not isinstance(entry, dict):
        raise PocketIntentError(f"{place}: expected a JSON object, found {type(entry).__name__}")
    fields = cls.__dataclass_fields__
    for key in entry:
        if key not in fields:
            raise PocketIntentError(
                f"{place}: unknown key {key!r}; the keys are {', '.join(fields)}"
            )


def _read_weights(entry: Mapping[str, Any], place: str) -> tuple[float, ...] | None:
    weights = entry.get("weights")
    if weights is None:
        return None
    if not isinstance(weights, list) or not all(
        type(weight) in (int, float) and abs(weight) <= _LARGEST for weight in weights
    ):
        raise PocketIntentError(f'{place}: "weights" must be a list of numbers')
    return tuple(map(float, weights))


def _read_combination(entry: Mapping[str, Any], default: Combination, place: str) -> Combination:
    combine = entry.get("combine", default)
    if combine not in get_args(Combination):
        raise PocketIntentError(
            f'{place}: "combine" must be one of {", ".join(get_args(Combination))}, not {combine!r}'
        )
    chosen: Combination = combine
    return chosen
