"""Opening a teacher: a pocketintent model, an ONNX graph or a Hugging Face transformer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.shipped_models import bundled_models
from pocketintent.training.teachers.encoders import (
    OnnxTeacher,
    TeacherPrecision,
    TransformerTeacher,
    find_graph,
    is_transformer,
)
from pocketintent.training.teachers.variants import whole_words

if TYPE_CHECKING:
    from pocketintent_lab.training.neural.settings import NeuralSettings

MAX_TOKENS = 128


def load_teacher(
    path: str | Path,
    *,
    device: str = "cpu",
    threads: int = 1,
    max_tokens: int = MAX_TOKENS,
    precision: TeacherPrecision = "float32",
    neural: NeuralSettings | None = None,
) -> Encoder:
    """Open a sentence encoder; nothing is downloaded.

    Args:
        path: A pocketintent model file; an ``.onnx`` file with ``tokenizer.json`` beside it; a
            folder with both (the graph as ``model.onnx``, ``onnx/model.onnx`` or the only one);
            or the folder of a Hugging Face transformer. A folder with a transformer's weights
            and a graph is read as a transformer.
        device: Torch device of a transformer; by default ``"cpu"``.
        threads: Number of CPU threads of an ONNX graph; by default 1.
        max_tokens: Longer texts are cut to this number of tokens; by default 128.
        precision: Number type of the weights of a transformer; by default ``"float32"``.
        neural: Make neural embeddings by a masked language model, in float32; longer texts are
            split by sentences, not cut. None for the usual vectors.

    Returns:
        The encoder. The vector of a text is the mean of its tokens' last states, or the first
        token's state where ``1_Pooling/config.json`` requires it, at unit length; a graph that
        outputs one vector for each text does its own pooling.

    Raises:
        PocketIntentError: There is no encoder at the path, or it cannot be used.
        MissingExtraError: A package that the encoder needs is not installed.
    """
    path = Path(path)
    if neural is not None:
        return _load_neural(path, neural, device, max_tokens)
    if path.is_dir():
        if is_transformer(path):
            return TransformerTeacher(
                path, device=device, max_tokens=max_tokens, precision=precision
            )
        return OnnxTeacher(find_graph(path), path, threads=threads, max_tokens=max_tokens)
    if path.suffix == ".onnx":
        return OnnxTeacher(path, path.parent, threads=threads, max_tokens=max_tokens)
    if not path.exists() and str(path) not in bundled_models():
        raise PocketIntentError(
            f"{path}: there is no such teacher; give a pocketintent model, an .onnx file, or the "
            "folder of a graph or of a Hugging Face transformer"
        )
    return load_encoder(path)


def _load_neural(path: Path, settings: NeuralSettings, device: str, max_tokens: int) -> Encoder:
    if not (path.is_dir() and is_transformer(path)):
        raise PocketIntentError(
            f"{path}: neural embeddings need the folder of a masked language model, as "
            "transformers saves it"
        )
    require("torch", "train")
    from pocketintent_lab.training.neural.encoder import NeuralEncoder
    from pocketintent_lab.training.neural.masked_model import MaskedModel

    model = MaskedModel(path, device=device, max_tokens=max_tokens)
    return NeuralEncoder(model, settings)


def teacher_words(teacher: Encoder) -> list[str]:
    """The whole words of a teacher's vocabulary; see :func:`whole_words`.

    Raises:
        PocketIntentError: The teacher is a pocketintent model, or several of them.
    """
    vocabulary = getattr(teacher, "vocabulary", None)
    tokens = vocabulary() if callable(vocabulary) else []
    if not tokens:
        raise PocketIntentError(
            "a pocketintent model as the teacher has no tokens; for its words, name the model "
            "with --words"
        )
    return whole_words(tokens)
