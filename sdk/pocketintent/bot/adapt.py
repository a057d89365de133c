"""Adapting a model to a bot, by a sentence encoder's vectors of the bot's own texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.settings import Settings
from pocketintent.training.contextual.pipeline import train_contextual
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions
from pocketintent.training.transformer.pipeline import train_transformer
from pocketintent.training.transformer.settings import TransformerSettings
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors

Train = Callable[..., dict[str, Any]]

ADAPTATION: dict[str, tuple[Train, Settings]] = {
    "contextual": (
        train_contextual,
        ContextualSettings(epochs=20, learning_rate=0.0005, batch_words=256, validation=0),
    ),
    "transformer": (
        train_transformer,
        TransformerSettings(epochs=10, learning_rate=0.0001, batch_words=512, validation=0),
    ),
}
"""How models of a kind are trained, with settings for a few hundred to a few thousand texts, chosen
on BANKING77 ``valid``. Small batches matter: with four times as many words in a batch, five
templates per intent win a quarter less."""

_SPACES = str.maketrans("_\0", "  ")
"""What a file of vectors cannot tell from a space, or cannot contain."""


def check_adaptable(encoder: Encoder) -> ModelEncoder:
    """The encoder, if it can be adapted; PocketIntentError if it is of another kind."""
    kind = getattr(encoder, "kind", type(encoder).__name__)
    if isinstance(encoder, ModelEncoder) and kind in ADAPTATION:
        return encoder
    raise PocketIntentError(
        f"a model of kind {kind} cannot be adapted to a bot; take one of kind "
        f"{' or '.join(ADAPTATION)}, such as default"
    )


def adaptation_texts(texts: Iterable[str]) -> list[str]:
    """The distinct texts on which a model is trained, in order: templates, names of intents, logs.

    They have single spaces instead of white space, underscores and NUL, and no lone surrogates; no
    text is empty.
    """
    valid = (text.encode("utf-8", "ignore").decode() for text in texts)
    lines = (" ".join(text.translate(_SPACES).split()) for text in valid)
    return list(dict.fromkeys(filter(None, lines)))


def adapt_encoder(
    encoder: ModelEncoder,
    vectors: TermVectors,
    settings: Settings | None = None,
    options: RunOptions = DEFAULT_OPTIONS,
) -> ModelEncoder:
    """Train a model further on a teacher's vectors of a bot's texts.

    The words, codes, codebook for templates and background of the model stay as they are; the
    centroids, the norms and the network are trained, by the settings of ``ADAPTATION`` if none are
    given. ``vectors`` has the texts, as :func:`adaptation_texts` returns them. The result is a new
    model of the same size; its manifest's entry ``training`` has the number of texts. It is a
    PocketIntentError if the model has no counts, or no n-grams where its kind needs them, the
    vectors have fewer dimensions than it, or fewer than two texts have a token and a vector.
    """
    if vectors.dim < encoder.dim:
        raise PocketIntentError(
            f"the teacher's vectors have {vectors.dim} dimensions, and the model {encoder.dim}; a "
            "teacher needs at least as many"
        )
    train, usual = ADAPTATION[encoder.kind]
    with TemporaryDirectory() as folder:
        start, targets, out = (Path(folder) / name for name in ("start", "targets.bin", "out"))
        save_model(start, *encoder.to_model_file_parts())
        write_vectors(targets, vectors)
        train([targets], out, settings or usual, options, start=start)
        return load_encoder(out)
