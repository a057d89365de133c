"""Encoding texts by a teacher: the vectors from which a small model is distilled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import orjson

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.loader import load_teacher
from pocketintent.training.teachers.targets import to_text
from pocketintent.training.vectors.table import TermVectors

Progress = Callable[[int, int], None]
"""Called with the number of texts done and the number of all texts."""

_BATCHES_AT_ONCE = 16  # number of batches among which texts are grouped by length
_NUM_CHECKED = 8  # vectors of a cache that are computed again, besides that of the longest text
# Distance of a teacher's unit vectors of one text: in bfloat16 up to .01, as batches differ.
_TOLERANCE = 0.04


def encode_texts(
    teacher: Encoder | str | Path,
    texts: Sequence[str],
    batch_size: int = 64,
    *,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> TermVectors:
    """Encode words, terms and utterances by a teacher, or by that of a path (load_teacher).

    The teacher reads a term with underscores, ``machine_learning``, with spaces in their place. To
    a file ``cache`` the vectors are appended as they are computed; a later call with the same texts
    and teacher continues from it, and computes a few of its vectors again to see that the teacher
    is the same. ``progress`` is called after each batch of ``batch_size`` texts.

    Returns the unchanged texts and their vectors, float32 [num_texts, dim]: unit length, or zeros
    for a text in which the teacher knows no token. It is a PocketIntentError if there are no texts,
    ``batch_size`` is below 1, the cache belongs to other texts or another teacher or cannot be
    used, or a vector is not finite.
    """
    if not texts:
        raise PocketIntentError("there are no texts to encode")
    if batch_size < 1:
        raise PocketIntentError(f"the batch size must be 1 or more, not {batch_size}")
    if isinstance(teacher, (str, Path)):
        teacher = load_teacher(teacher)
    plain_texts = [to_text(text) for text in texts]
    if cache is None:
        vectors, done = np.empty((len(texts), teacher.dim), np.float32), 0
        for block in _encode(teacher, plain_texts, 0, batch_size, progress):
            vectors[done : done + len(block)] = block
            done += len(block)
        return TermVectors(list(texts), vectors)
    path = Path(cache)
    try:
        offset, done = _open_cache(path, teacher, plain_texts)
        with path.open("ab") as file:
            for block in _encode(teacher, plain_texts, done, batch_size, progress):
                file.write(block.astype("<f4").tobytes())
                file.flush()
        vectors = np.fromfile(path, "<f4", offset=offset).reshape(len(texts), teacher.dim)
    except OSError as error:
        raise PocketIntentError(
            f"{path}: cannot be used as a cache: {error.strerror or error}"
        ) from error
    return TermVectors(list(texts), vectors.astype(np.float32, copy=False))


def _encode(
    teacher: Encoder, texts: Sequence[str], done: int, batch_size: int, progress: Progress | None
) -> Iterator[FloatArray]:
    """Yield the vectors of the texts from number ``done`` on, in their order, block by block."""
    for start in range(done, len(texts), _BATCHES_AT_ONCE * batch_size):
        part = texts[start : start + _BATCHES_AT_ONCE * batch_size]
        order = sorted(range(len(part)), key=lambda number: len(part[number]))
        block = np.empty((len(part), teacher.dim), np.float32)
        for first in range(0, len(order), batch_size):
            batch = order[first : first + batch_size]
            block[batch] = teacher.encode_batch([part[number] for number in batch])
            if progress is not None:
                progress(start + min(first + batch_size, len(order)), len(texts))
        finite = np.isfinite(block).all(axis=1)
        if not finite.all():
            bad = part[int(np.flatnonzero(~finite)[0])]
            raise PocketIntentError(f"the teacher's vector of {bad!r} is not finite")
        yield block


def _open_cache(path: Path, teacher: Encoder, texts: Sequence[str]) -> tuple[int, int]:
    """Start a cache or check the existing file; returns the vectors' offset and their number."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    entries = {"vectors_of": digest.hexdigest(), "texts": len(texts), "dim": teacher.dim}
    header = orjson.dumps(entries) + b"\n"
    row = 4 * teacher.dim
    size = path.stat().st_size if path.exists() else 0
    if size < len(header):  # no file, or a run that was stopped as it started the file
        path.write_bytes(header)
        return len(header), 0
    with path.open("rb+") as file:
        done = min((size - len(header)) // row, len(texts))
        if file.read(len(header)) != header:
            raise PocketIntentError(
                f"{path}: contains vectors of other texts or another dimension; delete it"
            )
        if done:
            # Spread over all, with the longest, at whose end settings show.
            longest = max(range(done), key=lambda number: len(texts[number]))
            spread = np.linspace(0, done - 1, _NUM_CHECKED, dtype=int).tolist()
            checked = sorted({longest, *spread})
            vectors = np.memmap(path, "<f4", "r", len(header), (done, teacher.dim))[checked]
            again = teacher.encode_batch([texts[number] for number in checked])
            if not (np.linalg.norm(vectors - again, axis=1) <= _TOLERANCE).all():
                raise PocketIntentError(
                    f"{path}: contains vectors with other settings or of another teacher; delete it"
                )
        file.truncate(len(header) + done * row)  # an incomplete last row is computed again
    return len(header), done
