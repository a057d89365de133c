"""The mean of the weights of models that were trained from one start.

    python recipes/mean_weights.py runs/a.safetensors runs/b.safetensors --out runs/mean.safetensors

Source: Wortsman et al. 2022, "Model soups: averaging weights of multiple fine-tuned models improves
accuracy without increasing inference time".
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile, load_model, save_model


def mean_weights(models: list[ModelFile]) -> dict[str, Any]:
    """The tensors of the first model, with the mean of those in float32.

    A PocketIntentError if another model has other tensors, or differs in one that is no float32.
    """
    first, *others = models
    means = dict(first.tensors)
    for model in others:
        if {n: t.shape for n, t in model.tensors.items()} != {n: t.shape for n, t in means.items()}:
            raise PocketIntentError(f"{model.path}: has other tensors than {first.path}")
    for name, tensor in first.tensors.items():
        if tensor.dtype == np.float32:
            means[name] = sum(model.tensors[name] / np.float32(len(models)) for model in models)
        elif not all(np.array_equal(tensor, model.tensors[name]) for model in others):
            raise PocketIntentError(f"the models have another {name}: they have no common start")
    return means


def main() -> None:
    """Read the models and write their mean, with the manifest of the first."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=Path, nargs="+", help="model files")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    args = parser.parse_args()
    try:
        models = [load_model(path) for path in args.models]
        manifest = {k: v for k, v in models[0].manifest.items() if k not in _WRITTEN}
        names = [path.name for path in args.models]
        manifest["training"] = {**manifest["training"], "mean_of": names}
        save_model(args.out, manifest, mean_weights(models))
    except PocketIntentError as error:
        raise SystemExit(f"mean_weights: {error}") from error


_WRITTEN = ("sha256", "format_version")  # by `save_model`

if __name__ == "__main__":
    main()
