"""The registry of encoder kinds."""

from __future__ import annotations

import os
from collections.abc import Callable

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile, load_model
from pocketintent.runtime.files.shipped_models import find_model


def _read_combined(model: ModelFile) -> Encoder:
    # Here, since that module builds on the class above.
    from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder

    return CombinedEncoder.from_model_file(model)


ENCODERS: dict[str, Callable[[ModelFile], Encoder]] = {
    StaticEncoder.kind: StaticEncoder.from_model_file,
    CharEncoder.kind: CharEncoder.from_model_file,
    "combined": _read_combined,
}
"""How each kind of model becomes an encoder, by the manifest's ``kind``."""


def load_encoder(path: str | os.PathLike[str] | None = None) -> Encoder:
    """Open a model file as an encoder.

    Args:
        path: A model file, or the name of a shipped model such as ``"robust"``; the default
            model when None.

    Returns:
        The encoder of the kind that the file names.

    Raises:
        ModelFileError: The file is missing, damaged, of an unknown kind, or its parts do not
            fit each other.
    """
    model = load_model(find_model(path))
    kind = model.manifest["kind"]
    if kind not in ENCODERS:
        raise ModelFileError(
            f"{model.path}: encoders of kind {kind!r} are not known here; "
            f"known: {', '.join(sorted(ENCODERS))}"
        )
    try:
        return ENCODERS[kind](model)
    except PocketIntentError as error:
        raise ModelFileError(f"{model.path}: {error}") from error
