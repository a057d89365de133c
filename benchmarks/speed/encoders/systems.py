"""The encoders that ``encoding.py`` times, and how to make one forget the words it has met."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.systems.minilm import MiniLMEncoder, build_minilm
from pocketintent.compression.kinds import tables_of
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder, Reading
from pocketintent.runtime.encoders.combined import CombinedEncoder
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.sequence import SequenceEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.text.characters import CharVocabulary

if TYPE_CHECKING:  # torch is slow to import, and not every encoder needs it
    from pocketintent.training.charemb.model import CharEmb

MINILM = {"minilm-float32": "minilm.onnx", "minilm-int8": "minilm-int8.onnx"}
CHARACTERS = " abcdefghijklmnopqrstuvwxyz0123456789'-.,?!/()&+"
SEED = 0


@dataclass(frozen=True)
class Candidate:
    """An encoder to time."""

    name: str
    family: str
    """Encoders of one family have the same colour in the plot."""
    encoder: Encoder
    """The encoder as loaded: it has encoded nothing, so it has met no word."""
    bytes: int
    """Size of its files."""
    trained: bool = True
    """False when its weights are random numbers."""

    @property
    def keeps_words(self) -> bool:
        """Whether it computes vectors of words and caches them."""
        if isinstance(self.encoder, CharEncoder):
            return self.encoder.reads == "words"
        if isinstance(self.encoder, CombinedEncoder | SequenceEncoder):
            return True
        return isinstance(self.encoder, ModelEncoder) and "ngrams" in tables_of(self.encoder)


class Forgetful:
    """An encoder that can be made to forget the words that it has met.

    Args:
        encoder: An encoder that has met no word yet.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._copy = _copier(encoder)
        self.forget()

    def forget(self) -> None:
        """Continue with an encoder that has met no word."""
        self._encoder = self._copy()

    def encode(self, text: str) -> object:
        """The sentence vector of a text."""
        return self._encoder.encode(text)

    def read(self, texts: Sequence[str]) -> None:
        """Meet the words of texts, by encoding them."""
        for text in texts:  # a batch may leave out what single texts keep
            self._encoder.encode(text)


def _copier(encoder: Encoder) -> Callable[[], Encoder]:
    """A function that returns a copy of the encoder, which shares its large parts."""
    if isinstance(encoder, StaticEncoder):
        return encoder.replace
    if isinstance(encoder, SequenceEncoder):  # its table has met the words
        return lambda: encoder.replace(table=encoder.table.replace())
    # The other kinds never change their cached words in place but replace them, so the copies
    # do not share what one of them has met.
    return lambda: copy.copy(encoder)


def open_minilm(name: str, cache: Path) -> Candidate:
    """MiniLM on ONNX Runtime; its files are made unless the cache has them."""
    build_minilm(cache)
    files = [cache / MINILM[name], cache / "minilm-tokenizer.json"]
    size = sum(path.stat().st_size for path in files)
    return Candidate(name, "MiniLM", MiniLMEncoder(cache, MINILM[name]), size)


def open_model(path: str | None) -> Candidate:
    """The model of a file or of a shipped model's name; the default model when None."""
    encoder = load_encoder(path)
    families = {
        "static": "word vectors",
        "contextual": "word vectors in context",
        "charemb": "CharEmb of a file",
        "combined": "combined",
        "transformer": "small transformer",
    }
    name = "default" if path is None else Path(path).name
    size = find_model(path).stat().st_size
    return Candidate(name, families.get(encoder.kind, encoder.kind), encoder, size)


def make_charemb(preset: str, reads: Reading, dim: int) -> Candidate:
    """An untrained CharEmb of a preset's sizes, with int8 weights, loaded from a model file."""
    from pocketintent.compression.quantise import quantise_charemb
    from pocketintent.training.charemb.pipeline import to_encoder
    from pocketintent.training.charemb.settings import PRESETS

    model, vocabulary = make_network(preset, dim)
    exact = to_encoder(model, vocabulary, replace(PRESETS[preset], reads=reads))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "untrained.safetensors"
        save_model(path, *quantise_charemb(exact).to_model_file_parts())
        encoder, size = load_encoder(path), path.stat().st_size
    return Candidate(f"{preset} ({reads})", f"CharEmb, {reads}", encoder, size, trained=False)


def make_network(preset: str, dim: int) -> tuple[CharEmb, CharVocabulary]:
    """An untrained torch network of a preset's sizes, and its characters."""
    import torch

    from pocketintent.training.charemb.model import CharEmb, build_network
    from pocketintent.training.charemb.settings import PRESETS

    settings = PRESETS[preset]
    torch.manual_seed(SEED)
    vocabulary = CharVocabulary(CHARACTERS, settings.max_chars)
    network = build_network(settings, dim)
    return CharEmb(network, len(vocabulary), settings.max_chars).eval(), vocabulary
