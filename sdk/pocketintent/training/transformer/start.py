"""The network that training starts from: layers and hidden units of a larger one of BERT's kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file

from pocketintent.records import read_content
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, PREFIX
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.encoders.transformer.network import LAYERS, TransformerNetwork
from pocketintent.runtime.encoders.transformer_layers import gelu
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.tokenizer import PIECES_SPEC
from pocketintent.runtime.text.vocabulary import LostWords, Vocabulary
from pocketintent.runtime.text.word_pieces import WordPieces
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.transformer.model import TransformerModel

_NAMES = {
    "attention.output": "attention.output.dense",
    "norm.0": "attention.output.LayerNorm",
    "feedforward.0": "intermediate.dense",
    "feedforward.1": "output.dense",
    "norm.1": "output.LayerNorm",
}
"""Parts of a layer, by our names: their names in a model of BERT's kind."""

_FIRST = "[CLS]"
_RIDGE = 1e-3  # of the mean square of the hidden units


@dataclass(frozen=True)
class BertFolder:
    """The weights and pieces of a model of BERT's kind, in the layout of Hugging Face."""

    path: Path
    weights: Mapping[str, FloatArray]
    pieces: Sequence[str]
    layers: int
    heads: int

    @classmethod
    def read(cls, path: str | Path) -> BertFolder:
        """Read a folder with config.json, model.safetensors and tokenizer.json, and nothing else.

        PocketIntentError if a file is missing or damaged, or the model is of another kind.
        """
        path = Path(path)
        config = _read_json(path / "config.json")
        if config.get("model_type") != "bert" or config.get("hidden_act", "gelu") != "gelu":
            raise PocketIntentError(
                f"{path}/config.json: training starts from a model of type bert with gelu, not "
                f"{config.get('model_type')!r} with {config.get('hidden_act')!r}"
            )
        file = path / "model.safetensors"
        try:
            stored = load_file(file)
            layers, heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
            numbers: dict[str, int] = _read_json(path / "tokenizer.json")["model"]["vocab"]
            pieces = sorted(numbers, key=numbers.__getitem__)
        except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
            raise PocketIntentError(
                f"{path}: config.json, model.safetensors and tokenizer.json must be those of a "
                f"BERT: {type(error).__name__}: {error}"
            ) from error
        weights = {
            name.removeprefix("bert."): array.astype(np.float32) for name, array in stored.items()
        }
        return cls(path, weights, pieces, layers, heads)

    def take(self, name: str) -> FloatArray:
        """A weight by its name; PocketIntentError if there is none."""
        if name not in self.weights:
            raise PocketIntentError(f"{self.path}/model.safetensors: there is no tensor {name!r}")
        return self.weights[name]


def cut_bert(
    folder: BertFolder, words: CountedVocabulary, lost: LostWords, *, layers: int
) -> TransformerEncoder:
    """An encoder, in float32, with some of the layers of a BERT and with other words.

    The layers are the first and others at about equal distances, the last among them. The vector
    of a word is the mean of those of its pieces in the BERT; ``start`` is that of its first token.
    """
    if layers > folder.layers:
        raise PocketIntentError(f"{folder.path} has {folder.layers} layers, fewer than {layers}")
    if _FIRST not in folder.pieces:
        raise PocketIntentError(f"{folder.path}/tokenizer.json: there is no token {_FIRST!r}")
    places, table = folder.take("embeddings.position_embeddings.weight"), _words(folder, words)
    # The places beyond those of the BERT have the vector of its last one.
    places = places[np.minimum(np.arange(MAX_TOKENS + 1), len(places) - 1)]
    places = places + folder.take("embeddings.token_type_embeddings.weight")[0]
    first = folder.take("embeddings.word_embeddings.weight")[folder.pieces.index(_FIRST)]
    parameters = {
        f"{PREFIX}.start": first + places[0],
        f"{PREFIX}.positions": places[1:],
        f"{PREFIX}.norm.weight": folder.take("embeddings.LayerNorm.weight"),
        f"{PREFIX}.norm.bias": folder.take("embeddings.LayerNorm.bias"),
    }
    chosen = np.ceil(np.linspace(0, folder.layers - 1, layers)).astype(int).tolist()
    for number, layer in enumerate(chosen):
        theirs, ours = f"encoder.layer.{layer}", f"{LAYERS}.{number}"
        for part in ("weight", "bias"):
            inputs = [f"{theirs}.attention.self.{n}.{part}" for n in ("query", "key", "value")]
            parameters[f"{ours}.attention.input.{part}"] = np.concatenate(
                [folder.take(name) for name in inputs]
            )
            for name, name_there in _NAMES.items():
                parameters[f"{ours}.{name}.{part}"] = folder.take(f"{theirs}.{name_there}.{part}")
    feedforward = len(parameters[f"{LAYERS}.0.feedforward.0.bias"])
    weights = Weights.of_floats(parameters)
    network = TransformerNetwork(table.shape[1], layers, folder.heads, feedforward, weights)
    vocabulary = Vocabulary(words.words, lost)
    rows = DenseMatrix(table)
    return TransformerEncoder(
        StaticEncoder(vocabulary, rows, tokenizer_spec=PIECES_SPEC, counts=words.counts), network
    )


def _words(folder: BertFolder, words: CountedVocabulary) -> FloatArray:
    """The vectors of words, [num_words, dim], from those of a BERT's pieces."""
    rows = folder.take("embeddings.word_embeddings.weight")
    numbers = {piece: number for number, piece in enumerate(folder.pieces)}
    split = WordPieces(Vocabulary(folder.pieces))
    vectors = np.zeros((len(words), rows.shape[1]), np.float32)
    for vector, word in zip(vectors, words.words, strict=True):
        if own := [numbers[piece] for piece in split([word])]:
            vector[:] = rows[own].mean(axis=0)
    return vectors


@torch.no_grad()
def narrow(
    encoder: TransformerEncoder, texts: Sequence[str], feedforward: int
) -> TransformerEncoder:
    """Keep the hidden units of each feed-forward part whose outputs differ most among tokens.

    The outer weights are refitted, by ridge regression, so that on ``texts`` the units that are
    left give what all of them gave.
    """
    network = encoder.network
    if feedforward >= network.feedforward:
        return encoder
    old = network.weights.decode()
    parameters = dict(old)
    for layer, states in enumerate(_inputs(encoder, texts)):
        prefix = f"{LAYERS}.{layer}.feedforward"
        inner, outer = old[f"{prefix}.0.weight"], old[f"{prefix}.1.weight"]
        units = gelu(states @ inner.T + old[f"{prefix}.0.bias"]).astype(np.float64)
        importance = units.var(axis=0) * np.square(outer).sum(axis=0)
        kept = np.sort(np.argsort(-importance)[:feedforward])
        target = units @ outer.T.astype(np.float64) + old[f"{prefix}.1.bias"]
        inputs = np.concatenate([units[:, kept], np.ones((len(units), 1))], axis=1)
        square = inputs.T @ inputs
        first = np.concatenate([outer[:, kept].T, old[f"{prefix}.1.bias"][None]]).astype(np.float64)
        ridge = _RIDGE * square.diagonal().mean() * np.eye(len(square))
        fitted = first + np.linalg.solve(square + ridge, inputs.T @ (target - inputs @ first))
        parameters[f"{prefix}.0.weight"] = inner[kept]
        parameters[f"{prefix}.0.bias"] = old[f"{prefix}.0.bias"][kept]
        parameters[f"{prefix}.1.weight"] = np.ascontiguousarray(fitted[:-1].T, np.float32)
        parameters[f"{prefix}.1.bias"] = fitted[-1].astype(np.float32)
    weights = Weights.of_floats(parameters)
    return encoder.replace(network=replace(network, feedforward=feedforward, weights=weights))


def _inputs(encoder: TransformerEncoder, texts: Sequence[str]) -> list[FloatArray]:
    """What the feed-forward part of each layer reads in texts, float32 [num_tokens, dim]."""
    model = TransformerModel(encoder, torch.device("cpu"))
    token_ids = [encoder.vocabulary.ids(encoder.tokenize(text)[:MAX_TOKENS]) for text in texts]
    seen: list[torch.Tensor] = []
    for ids in filter(None, token_ids):
        rows = model.words.take(np.array(ids))
        model(rows, np.arange(len(ids))[None], np.array([len(ids)]), seen)
    num = encoder.network.layers
    return [torch.cat(seen[layer::num]).numpy() for layer in range(num)]


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = orjson.loads(read_content(path))
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, dict):
        raise PocketIntentError(f"{path}: the content must be a JSON object")
    return content
