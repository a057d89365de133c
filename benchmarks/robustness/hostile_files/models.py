"""Model files that are damaged on purpose and then sealed with a valid checksum."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.compression.codebooks import encode_int8, encode_matrix, fit_quantizer
from pocketintent.compression.kinds import quantise_context, quantise_transformer
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import Attention, CombinedEncoder
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contextual.network import ContextNetwork
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.encoders.transformer.network import TransformerNetwork, network_shapes
from pocketintent.runtime.encoders.weights import StoredMatrix, Weights
from pocketintent.runtime.files.model_file import DTYPES, METADATA_KEY
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import PIECES_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ("turn", "on", "the", "light", "play", "music")
PIECES = ("turn", "on", "the", "li", "##ght", "music")  # as many as words
DIM = 4
SIZES = (0, -1, 1, 2, 3, 7, 64, 2**16, 2**20, 2**31, 2**40, 2**53, 2**62, 2**63, 10**30)
NUMBERS = (0.0, -0.5, 1e-300, 1e-40, 1e-7, 1e7, 1e38, 1e300, -1e300)
OTHERS: tuple[Any, ...] = (None, True, False, "", "x", "x" * 5000, [], [1], {}, {"x": 1})
FLOATS = (np.nan, np.inf, -np.inf, 65504.0, -65504.0, 7e4, 1e18, 3e38, 1e-45, 0.0)
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass
class Parts:
    """The content of a model file."""

    manifest: dict[str, Any]
    """The manifest."""
    tensors: dict[str, NDArray[Any]]
    """Arrays by name."""


def seal(parts: Parts) -> bytes:
    """The model file of parts, with a valid checksum; nothing is checked.

    Written from ``docs/model-file.md`` and not with ``save_model``, which refuses hostile parts.
    """
    entries, end = {}, 0
    for name, array in parts.tensors.items():
        begin, end = end, end + array.nbytes
        entries[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    manifest = {key: value for key, value in parts.manifest.items() if key != "sha256"}
    try:
        sha = hashlib.sha256(orjson.dumps(manifest, option=orjson.OPT_SORT_KEYS) + b"\n")
        for name in sorted(parts.tensors):
            array = parts.tensors[name]
            sha.update(orjson.dumps([name, _NAMES[array.dtype], list(array.shape)]) + b"\n")
            sha.update(array.tobytes())
        manifest["sha256"] = sha.hexdigest()
    except TypeError:  # a number beyond 64 bits has no canonical form
        manifest["sha256"] = ""
    header = json.dumps({"__metadata__": {METADATA_KEY: json.dumps(manifest)}, **entries}).encode()
    body = b"".join(array.tobytes() for array in parts.tensors.values())
    return len(header).to_bytes(8, "little") + header + body


def tiny_models(rng: np.random.Generator) -> list[Parts]:
    """Models of each kind and way of storing, of some kilobytes."""
    return [parts_of(*encoder.to_model_file_parts()) for encoder in tiny_encoders(rng)]


def parts_of(manifest: Mapping[str, Any], tensors: Mapping[str, Any]) -> Parts:
    """The content of a model file from its parts, as ``save_model`` takes them."""
    arrays = {name: np.asarray(tensor) for name, tensor in tensors.items()}
    return Parts({"format_version": 1, **manifest}, arrays)


def tiny_encoders(rng: np.random.Generator, dim: int = DIM) -> list[ModelEncoder]:
    """The encoders of :func:`tiny_models`, or such of more dimensions."""
    encoders: list[ModelEncoder] = [_static(rng, dim, dense=dense) for dense in (True, False)]
    for cell in ("lstm", "gru", "transformer"):
        stores = ("float32", "int8", "codebook")
        encoders += [_characters(rng, dim, cell, store) for store in stores]
    characters = _characters(rng, dim, "lstm", "float32")
    for dense, words in ((True, None), (False, 3)):
        table = _static(rng, dim, dense=dense, ngrams=False)
        encoders.append(CombinedEncoder(table, characters, Attention(words=words)))
    for dense in (True, False):
        table, network = _static(rng, dim, dense=dense), _context(rng, dim)
        encoders.append(ContextualEncoder(table, network if dense else quantise_context(network)))
    for dense in (True, False):
        table = _static(rng, dim, dense=dense, ngrams=False)
        table = table.replace(vocabulary=Vocabulary(PIECES), tokenizer_spec=PIECES_SPEC)
        attention = _transformer(rng, dim)
        attention = attention if dense else quantise_transformer(attention)
        encoders.append(TransformerEncoder(table, attention))
    return encoders


def copy_parts(parts: Parts) -> Parts:
    """A copy whose manifest can be changed; pickle makes it faster than ``deepcopy``."""
    return Parts(pickle.loads(pickle.dumps(parts.manifest)), dict(parts.tensors))


def mutate(parts: Parts, rng: np.random.Generator) -> bytes:
    """One hostile file: one to three changes of a model, most of them under a valid checksum."""
    damaged = copy_parts(parts)
    change(damaged, rng)
    return seal_or_damage(damaged, rng)


def change(parts: Parts, rng: np.random.Generator) -> None:
    """Make one to three changes of parts, in place."""
    for _ in range(int(rng.choice((1, 1, 1, 2, 3)))):
        _MUTATIONS[int(rng.integers(len(_MUTATIONS)))](parts, rng)


def seal_or_damage(parts: Parts, rng: np.random.Generator) -> bytes:
    """The model file of parts; one file in ten has damaged bytes too."""
    content = seal(parts)
    return _damage_bytes(content, rng) if rng.random() < 0.1 else content


def _static(
    rng: np.random.Generator, dim: int, *, dense: bool, ngrams: bool = True
) -> StaticEncoder:
    buckets = _matrix(rng, 8, dim, dense) if ngrams else None
    codebook = fit_quantizer(_normal(rng, 40, dim), sub_dim=2, codebook_size=4, normalised=False)
    return StaticEncoder(
        Vocabulary(WORDS),
        _matrix(rng, len(WORDS), dim, dense),
        ngrams=buckets,
        ngram_settings=NgramSettings(2, 3, 8) if ngrams else None,
        template_quantizer=None if dense else codebook,
        counts=np.arange(len(WORDS), 0, -1),
    )


def _characters(rng: np.random.Generator, dim: int, cell: Any, store: Any) -> CharEncoder:
    network = CharNetwork(dim, cell, char_dim=4, hidden=4, layers=2, mlp=4, heads=2)
    vocabulary = CharVocabulary("abcdefghilmnoprstuy ", 12)
    matrices: dict[str, StoredMatrix] = {}
    vectors = {}
    for name, shape in network.shapes(len(vocabulary), vocabulary.max_chars).items():
        if len(shape) == 1:
            vectors[name] = _normal(rng, 1, shape[0])[0]
        elif store == "int8":
            matrices[name] = encode_int8(_normal(rng, *shape))
        else:
            rows, columns = shape
            matrices[name] = _matrix(rng, rows, columns, dense=store == "float32")
    reads: Any = "words" if cell == "lstm" else "text"
    return CharEncoder(vocabulary, network, Weights(store, matrices, vectors), reads=reads)


def _context(rng: np.random.Generator, dim: int) -> ContextNetwork:
    return ContextNetwork(
        inner=_normal(rng, 3, 3 * dim),
        inner_bias=_normal(rng, 1, 3)[0],
        outer=_normal(rng, dim, 3),
        gate=_normal(rng, 1, dim)[0],
        hidden_gate=_normal(rng, 1, 3)[0],
        gate_bias=0.5,
        width=3,
    )


def _transformer(rng: np.random.Generator, dim: int) -> TransformerNetwork:
    sizes = {"dim": dim, "layers": 2, "heads": 2, "feedforward": 6}
    parameters = {}
    for name, shape in network_shapes(**sizes).items():
        centre = float("norm" in name and name.endswith("weight"))  # otherwise all texts are alike
        parameters[name] = rng.normal(centre, 0.1, shape).astype(np.float32)
    return TransformerNetwork(**sizes, weights=Weights.of_floats(parameters))


def _matrix(rng: np.random.Generator, rows: int, dim: int, dense: bool) -> Matrix:
    vectors = _normal(rng, rows, dim)
    if dense:
        return DenseMatrix(vectors)
    return encode_matrix(vectors, fit_quantizer(vectors, sub_dim=2, codebook_size=5))


def _normal(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float32]:
    return rng.normal(0, 0.5, (rows, columns)).astype(np.float32)


def _change_setting(parts: Parts, rng: np.random.Generator) -> None:
    """Replace or remove an entry of the manifest, at any depth."""
    entry: dict[str, Any] = parts.manifest
    while entry:
        key = list(entry)[int(rng.integers(len(entry)))]
        value = entry[key]
        if isinstance(value, dict) and rng.random() < 0.9:
            entry = value
        elif rng.random() < 0.1:
            del entry[key]
            return
        else:
            group = (SIZES, NUMBERS, OTHERS)[int(rng.choice(3, p=(0.5, 0.3, 0.2)))]
            entry[key] = deepcopy(group[int(rng.integers(len(group)))])
            return


def _change_size(parts: Parts, rng: np.random.Generator) -> None:
    """Set all settings and axes of one size to another, so that the parts still agree."""
    array = _pick(parts, rng)[1]
    if not array.ndim:
        return
    old = array.shape[int(rng.integers(array.ndim))]
    new = int(rng.choice([0, 0, 1, old + 1, max(old - 1, 0)]))
    for name, tensor in parts.tensors.items():
        if old in tensor.shape:
            shape = tuple(new if axis == old else axis for axis in tensor.shape)
            parts.tensors[name] = np.resize(tensor, shape).astype(tensor.dtype)
    parts.manifest = _replace_number(parts.manifest, old, new)


def _empty_table(parts: Parts, rng: np.random.Generator) -> None:
    """Remove all words from the vocabulary and the table."""
    parts.manifest = _replace_number(parts.manifest, len(WORDS), 0)
    for name, tensor in parts.tensors.items():
        if name == "vocabulary.bytes" or (
            name.startswith(("words.", "vocabulary.")) and len(tensor) == len(WORDS)
        ):
            parts.tensors[name] = tensor[:0]
    codes = parts.tensors.get("words.codes")
    if codes is not None and codes.ndim == 1:
        parts.tensors["words.codes"] = codes[:0]


def _change_values(parts: Parts, rng: np.random.Generator) -> None:
    """Overwrite one number or all numbers of a tensor."""
    name, array = _pick(parts, rng)
    array = array.copy()
    where: Any = slice(None) if rng.random() < 0.3 else int(rng.integers(max(array.size, 1)))
    if array.size:
        with np.errstate(over="ignore", invalid="ignore"):
            if array.dtype.kind == "f":
                array.reshape(-1)[where] = FLOATS[int(rng.integers(len(FLOATS)))]
            elif array.dtype.kind == "b":
                array.reshape(-1)[where] = True
            else:
                info = np.iinfo(array.dtype)
                array.reshape(-1)[where] = rng.choice([info.min, info.max, 0, 1])
    parts.tensors[name] = array


def _change_bytes(parts: Parts, rng: np.random.Generator) -> None:
    """Fill a tensor with random bytes."""
    name, array = _pick(parts, rng)
    content = np.frombuffer(rng.bytes(array.nbytes), array.dtype)
    parts.tensors[name] = content.reshape(array.shape)


def _change_dtype(parts: Parts, rng: np.random.Generator) -> None:
    """Read the bytes of a tensor as another type, or convert its numbers."""
    name, array = _pick(parts, rng)
    dtype = list(DTYPES.values())[int(rng.integers(len(DTYPES)))]
    if rng.random() < 0.5 and array.nbytes % dtype.itemsize == 0 and dtype.kind != "b":
        parts.tensors[name] = np.frombuffer(array.tobytes(), dtype)
    else:
        with np.errstate(all="ignore"):
            parts.tensors[name] = array.astype(dtype)


def _change_shape(parts: Parts, rng: np.random.Generator) -> None:
    """Transpose, flatten, cut or empty a tensor."""
    name, array = _pick(parts, rng)
    shapes = (array.T, array.reshape(-1), array[None], array[:0], array[:-1], array[..., :0])
    parts.tensors[name] = np.ascontiguousarray(shapes[int(rng.integers(len(shapes)))])


def _swap(parts: Parts, rng: np.random.Generator) -> None:
    """Swap two tensors."""
    (first, one), (second, two) = _pick(parts, rng), _pick(parts, rng)
    parts.tensors[first], parts.tensors[second] = two, one


def _drop(parts: Parts, rng: np.random.Generator) -> None:
    """Remove a tensor, or give it another name."""
    name, array = _pick(parts, rng)
    if len(parts.tensors) > 1:
        del parts.tensors[name]
    if rng.random() < 0.5:
        parts.tensors[name + "x"] = array


_MUTATIONS: tuple[Callable[[Parts, np.random.Generator], None], ...] = (
    _change_setting,
    _change_setting,
    _change_size,
    _empty_table,
    _change_values,
    _change_values,
    _change_bytes,
    _change_dtype,
    _change_shape,
    _swap,
    _drop,
)


def _damage_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip, cut or repeat bytes of a sealed file, most often of its header."""
    data = bytearray(content)
    header = 8 + int.from_bytes(content[:8], "little")
    for _ in range(int(rng.integers(1, 4))):
        data[int(rng.integers(min(len(data), header)))] = int(rng.integers(256))
    if rng.random() < 0.3:
        del data[int(rng.integers(len(data))) :]
    return bytes(data)


def _pick(parts: Parts, rng: np.random.Generator) -> tuple[str, NDArray[Any]]:
    name = list(parts.tensors)[int(rng.integers(len(parts.tensors)))]
    array = parts.tensors[name]
    return name, array if array.ndim else array.reshape(1)


def _replace_number(value: Any, old: int, new: int) -> Any:
    if isinstance(value, dict):
        return {key: _replace_number(item, old, new) for key, item in value.items()}
    return new if type(value) is int and value == old else value
