"""The corpora of a comparison on disk: their content hash, and a share of them for a run."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from pocketintent.records import read_objects, string_field
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import write_atomically
from pocketintent.runtime.text.tokenizer import Tokenizer, get_tokenizer
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.loop.work_folder import fingerprint
from pocketintent_lab.comparison.plan import CorpusPlan

ALL = 100.0
"""The share of a whole corpus, in percent."""


@dataclass(frozen=True)
class CorpusFiles:
    """A share of a corpus, ready for a training command."""

    paths: list[Path]
    """The files."""
    texts: int
    """Number of lines that are not empty."""
    words: int
    """Number of words, by the tokenizer ``simple``; of a JSON line, in all of its strings."""


def content_of(corpus: CorpusPlan) -> list[dict[str, Any]]:
    """Names and SHA-256 of a corpus' files; a file of lines differs from the same file of pairs.

    Raises:
        PocketIntentError: A file cannot be read.
    """
    lines = [fingerprint(path) | {"read": "lines"} for path in corpus.files]
    return lines + [fingerprint(path) for path in corpus.pairs]


def file_names(corpus: CorpusPlan) -> list[str]:
    """The names of the files that :func:`write_corpus` writes."""
    names = [path.name.removesuffix(".gz") for path in corpus.files]
    if corpus.pairs:
        names.append("sentences.txt")
    return [f"{number}-{name}" for number, name in enumerate(names)]


def write_corpus(corpus: CorpusPlan, share: float, seed: int, folder: Path) -> CorpusFiles:
    """Write a share of a corpus, unless the folder already has it.

    The lines of a share are a random sample in their original order, of each file by itself. The
    samples of a seed are nested: the lines of 1% are among those of 10%.

    Args:
        corpus: The corpus.
        share: Its share in percent.
        seed: Seed of the sample.
        folder: The folder to write to; it is made.

    Returns:
        The files and their size.

    Raises:
        PocketIntentError: A file cannot be read, or is a table, of which no share can be taken.
    """
    note = folder / "size.json"
    if note.exists():  # written last
        content = orjson.loads(note.read_bytes())
        return CorpusFiles([folder / name for name in content.pop("files")], **content)
    folder.mkdir(parents=True, exist_ok=True)
    tokenize: Tokenizer = get_tokenizer(TOKENIZER_SPECS["simple"])
    names, texts, words = file_names(corpus), 0, 0
    for name, all_lines in zip(names, _read(corpus), strict=True):
        lines = _sample(all_lines, share, seed)
        write_atomically(folder / name, b"".join(line + b"\n" for line in lines))
        texts += len(lines)
        words += sum(len(tokenize(text)) for line in lines for text in _strings(name, line))
    write_atomically(note, orjson.dumps({"files": names, "texts": texts, "words": words}))
    return CorpusFiles([folder / name for name in names], texts, words)


def _read(corpus: CorpusPlan) -> Iterator[list[bytes]]:
    """The lines of each file of a corpus that are not empty."""
    for path in corpus.files:
        if path.name.removesuffix(".gz").endswith((".csv", ".tsv")):
            raise PocketIntentError(
                f"{path}: the lines of a table cannot be sampled; give a corpus as .txt or .jsonl"
            )
        try:
            content = path.read_bytes()
            if path.suffix == ".gz":
                content = gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise PocketIntentError(f"{path}: cannot be read: {error}") from error
        yield [line for line in content.split(b"\n") if line.strip()]
    if corpus.pairs:
        yield _sentences(corpus.pairs)


def _sentences(paths: Sequence[Path]) -> list[bytes]:
    """The first texts of all pairs, then the second ones."""
    rows = [(place, value) for path in paths for place, value in read_objects(path)]
    texts = [string_field(value, key, place) for key in "ab" for place, value in rows]
    return [b" ".join(text.encode().split()) for text in texts]


def _sample(lines: list[bytes], share: float, seed: int) -> list[bytes]:
    number = math.ceil(len(lines) * share / ALL)
    chosen = np.random.default_rng([seed, 1]).permutation(len(lines))[:number]
    return [lines[position] for position in np.sort(chosen)]


def _strings(name: str, line: bytes) -> list[str]:
    """The texts of a line, whose words are counted."""
    if not name.endswith(".jsonl"):
        return [line.decode("utf-8", "replace")]
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = None  # the training command reports the line
    return (
        [item for item in value.values() if isinstance(item, str)]
        if isinstance(value, dict)
        else []
    )
