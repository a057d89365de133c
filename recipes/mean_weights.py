"""The mean of the weights of models that were trained from one start.

    python recipes/mean_weights.py runs/a.safetensors runs/b.safetensors --out runs/mean.safetensors

Source: Wortsman et al. 2022, "Model soups: averaging weights of multiple fine-tuned models improves
accuracy without increasing inference time".
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile, load_model, save_model

_OWN = ("format_version", "sha256", "training")  # entries of a manifest that may differ


def mean_model(models: Sequence[ModelFile]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The manifest and the tensors of a model with the mean of the float32 tensors of others.

    The entry ``training`` has the records of all. A PocketIntentError names the model that differs
    from the first one in another tensor or entry.
    """
    first = models[0]
    for model in models[1:]:
        if _settings(model) != _settings(first):
            raise PocketIntentError(f"{model.path}: a model of other settings than {first.path}")
        if _shapes(model) != _shapes(first):
            raise PocketIntentError(f"{model.path}: its tensors are not those of {first.path}")
        for name, tensor in first.tensors.items():
            if tensor.dtype != np.float32 and not np.array_equal(tensor, model.tensors[name]):
                raise PocketIntentError(
                    f"{model.path}: {name} is not that of {first.path}; only models that were "
                    "trained from one start have a mean"
                )
    records = [model.manifest.get("training", {}) for model in models]
    manifest = {**_settings(first), "training": {"method": "mean", "models": records}}
    share = np.float32(1 / len(models))
    means = {
        name: sum(model.tensors[name] * share for model in models)
        if tensor.dtype == np.float32
        else tensor
        for name, tensor in first.tensors.items()
    }
    return manifest, means


def _settings(model: ModelFile) -> dict[str, Any]:
    return {key: value for key, value in model.manifest.items() if key not in _OWN}


def _shapes(model: ModelFile) -> dict[str, Any]:
    return {name: (tensor.dtype, tensor.shape) for name, tensor in model.tensors.items()}


def main() -> None:
    """Read the models and write their mean."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=Path, nargs="+", help="model files")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    args = parser.parse_args()
    try:
        save_model(args.out, *mean_model([load_model(path) for path in args.models]))
    except PocketIntentError as error:
        raise SystemExit(f"mean_weights: {error}") from error


if __name__ == "__main__":
    main()
