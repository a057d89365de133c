"""The encoders that ``encoding.py`` times, with what each keeps of earlier texts."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder, Reading
from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.text.characters import CharVocabulary
from systems import MiniLMEncoder, build_minilm

if TYPE_CHECKING:  # torch is slow to import, and not all that is timed needs it
    from pocketintent.training.charemb.model import CharEmb

MINILM = {"minilm-float32": "minilm.onnx", "minilm-int8": "minilm-int8.onnx"}
CHARACTERS = " abcdefghijklmnopqrstuvwxyz0123456789'-.,?!/()&+"
SEED = 0


@dataclass(frozen=True)
class Candidate:
    """An encoder to time."""

    name: str
    family: str
    """What has one colour in the plot."""
    encoder: Encoder
    """As it is loaded: nothing is encoded with it, so it has met no word."""
    bytes: int
    """Of its files."""
    trained: bool = True
    """Whether its weights are more than random numbers."""

    @property
    def keeps_words(self) -> bool:
        """Whether it keeps the vectors of words that it had to make."""
        if isinstance(self.encoder, StaticEncoder):
            return self.encoder.ngrams is not None
        if isinstance(self.encoder, CharEncoder):
            return self.encoder.reads == "words"
        return isinstance(self.encoder, CombinedEncoder)


class Forgetful:
    """An encoder that can be made to forget the words that it has met.

    Args:
        encoder: An encoder that has met none.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._make = _maker(encoder)
        self.forget()

    def forget(self) -> None:
        """Go on with an encoder that has met no word."""
        self._encoder = self._make()

    def encode(self, text: str) -> object:
        """The sentence vector of a text."""
        return self._encoder.encode(text)

    def read(self, texts: Sequence[str]) -> None:
        """Meet the words of texts."""
        self._encoder.encode_batch(texts)


def _maker(encoder: Encoder) -> Callable[[], Encoder]:
    """A function that gives the encoder as new, and shares all that is large."""
    if not isinstance(encoder, StaticEncoder):
        # What these keep of words is never changed in place but replaced, so that the copies
        # do not see what one of them has met.
        return lambda: copy.copy(encoder)
    return lambda: StaticEncoder(
        encoder.vocabulary,
        encoder.words,
        tokenizer_spec=encoder.tokenizer_spec,
        ngrams=encoder.ngrams,
        ngram_settings=encoder.ngram_settings,
    )


def open_minilm(name: str, cache: Path) -> Candidate:
    """MiniLM on ONNX Runtime, exported and quantised unless the cache has it."""
    build_minilm(cache)
    files = [cache / MINILM[name], cache / "minilm-tokenizer.json"]
    size = sum(path.stat().st_size for path in files)
    return Candidate(name, "MiniLM", MiniLMEncoder(cache, MINILM[name]), size)


def open_model(path: str | None) -> Candidate:
    """A model file or a shipped model by its name; the default model when None."""
    encoder = load_encoder(path)
    families = {"static": "word vectors", "charemb": "CharEmb of a file", "combined": "combined"}
    kind = getattr(encoder, "kind", "")
    name = "default" if path is None else Path(path).name
    size = find_model(path).stat().st_size
    return Candidate(name, families.get(kind, kind), encoder, size)


def make_charemb(preset: str, reads: Reading, dim: int) -> Candidate:
    """An untrained CharEmb of a preset's sizes, with int8 weights, as a model file has it.

    Raises:
        PocketIntentError: There is no such preset.
    """
    from pocketintent.compression.network import quantise_charemb
    from pocketintent.training.charemb.pipeline import to_encoder
    from pocketintent.training.charemb.settings import preset_settings

    model, vocabulary = make_network(preset, dim)
    exact = to_encoder(model, vocabulary, preset_settings(preset, {"reads": reads}))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "untrained.safetensors"
        save_model(path, *quantise_charemb(exact).to_model_file_parts())
        encoder, size = load_encoder(path), path.stat().st_size
    return Candidate(f"{preset} ({reads})", f"CharEmb, {reads}", encoder, size, trained=False)


def make_network(preset: str, dim: int) -> tuple[CharEmb, CharVocabulary]:
    """An untrained network of a preset in torch, and the characters that it knows."""
    import torch

    from pocketintent.training.charemb.model import CharEmb, build_network
    from pocketintent.training.charemb.settings import preset_settings

    settings = preset_settings(preset, {})
    torch.manual_seed(SEED)
    vocabulary = CharVocabulary(CHARACTERS, settings.max_chars)
    network = build_network(settings, dim)
    return CharEmb(network, len(vocabulary), settings.max_chars).eval(), vocabulary
