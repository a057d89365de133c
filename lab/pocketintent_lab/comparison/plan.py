"""A plan: which algorithms are trained on which corpora, and how the models are measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.evaluation.intents.datasets import SPLITS
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.comparison.toml_tables import (
    Reader,
    Table,
    choice,
    fail,
    read_toml,
    several,
    share,
    text,
    whole,
)
from pocketintent_lab.compression.sweep import CODEBOOK_SIZES, SUB_DIMS, VARIANTS

_MAX_SEED = 2**32 - 1


@dataclass(frozen=True)
class CorpusPlan:
    """A corpus: texts in files, or the sentences of pairs."""

    name: str
    files: tuple[Path, ...] = ()
    """Files as the training command reads them."""
    pairs: tuple[Path, ...] = ()
    """JSON lines with ``a`` and ``b``, each of which is a line of the corpus."""


@dataclass(frozen=True)
class Algorithm:
    """A training command and its settings."""

    name: str
    method: str
    """The name after ``pocketintent train``."""
    options: Mapping[str, Any]
    """Options of the command, without dashes; the value is a number, a word, True or False, a
    list, ``{"file": path}`` or ``{"model": algorithm, "corpus": corpus}``."""
    corpora: tuple[str, ...]
    """Names of the corpora to train on."""
    corpus_option: str = "corpus"
    """The option that gets the files of a corpus."""
    epochs: tuple[int, ...] = ()
    """Numbers of epochs of the curve."""
    shares: tuple[float, ...] = ()
    """Shares of a corpus in percent of the curve."""
    place: str = ""
    """Its place in the plan, for messages."""


@dataclass(frozen=True)
class Measures:
    """What the models are measured on."""

    sts: Path
    """Scored pairs: JSON lines with ``a``, ``b`` and ``score``."""
    encode: tuple[Path, ...]
    """Files of pairs whose sentences are encoded against the clock."""
    intents: tuple[Path, ...] = ()
    """Folders with ``train.jsonl`` and the split's file."""
    split: str = "valid"
    shots: tuple[int, ...] = (5, 10, 30)
    """Numbers of templates per intent."""
    draws: int = 3
    """Random draws of templates."""
    decisions: tuple[str, ...] = (DEFAULT_DECISION,)


@dataclass(frozen=True)
class Curves:
    """The steps of the curves, where an algorithm has none of its own."""

    epochs: tuple[int, ...] = ()
    """Numbers of epochs."""
    shares: tuple[float, ...] = ()
    """Shares of a corpus in percent."""
    corpora: tuple[str, ...] = ()
    """Names of the corpora that have curves."""


@dataclass(frozen=True)
class Compression:
    """The model that is pruned and quantised, and the settings to try."""

    algorithm: str
    corpus: str
    keep: tuple[int, ...] = ()
    """Numbers of words to keep, by frequency and by norm."""
    sub_dims: tuple[int, ...] = SUB_DIMS
    codebook_sizes: tuple[int, ...] = CODEBOOK_SIZES
    variants: tuple[str, ...] = tuple(VARIANTS)
    sample: int = 20_000
    """Number of sub-vectors that a codebook is fitted on."""


@dataclass(frozen=True)
class Plan:
    """A comparison."""

    path: Path
    folder: Path
    """The folder that its paths are relative to."""
    title: str
    seeds: tuple[int, ...]
    corpora: Mapping[str, CorpusPlan]
    algorithms: Mapping[str, Algorithm]
    measures: Measures
    curves: Curves
    compression: Compression | None


def read_plan(path: Path, data: Path | None = None) -> Plan:
    """Read a plan.

    Args:
        path: The TOML file; docs/comparison.md describes its keys.
        data: The folder that its paths are relative to; None for the folder of the plan.

    Raises:
        PocketIntentError: The file is not a plan, or names a file or folder that is missing. The
            message names the file and the key.
    """
    known = ("title", "seeds", "corpora", "measure", "curves", "algorithms", "compression")
    content = read_toml(path)
    top = Table(content, path, "", known)
    folder = data or path.parent
    input_file = _existing(folder)
    corpora = _read_corpora(top, input_file)
    name = choice(*corpora)
    curves_table = top.table("curves", ("epochs", "shares", "corpora"))
    curves = Curves(
        curves_table.get("epochs", several(whole(1)), ()),
        curves_table.get("shares", several(share), ()),
        curves_table.get("corpora", several(name), tuple(corpora)),
    )
    algorithms = _read_algorithms(top, corpora, curves, input_file)
    return Plan(
        path,
        folder,
        top.get("title", text, "Comparison of training algorithms"),
        top.get("seeds", several(whole(0, _MAX_SEED)), (0,)) or (0,),
        corpora,
        algorithms,
        _read_measures(top, input_file),
        curves,
        _read_compression(top, algorithms) if "compression" in content else None,
    )


def _existing(folder: Path) -> Reader[Path]:
    """Reader of a path, relative to a folder, at which there is something."""

    def read(value: Any, place: str) -> Path:
        path = folder / text(value, place)
        if not path.exists():
            raise PocketIntentError(
                f"{place}: there is no {path}; paths are relative to {folder}, or to --data DIR"
            )
        return path

    return read


def _read_corpora(top: Table, input_file: Reader[Path]) -> dict[str, CorpusPlan]:
    corpora = {}
    for name, table in top.named_tables("corpora", ("files", "pairs")).items():
        files = table.get("files", several(input_file), ())
        pairs = table.get("pairs", several(input_file), ())
        if bool(files) == bool(pairs):
            raise PocketIntentError(f"{table.place('files')}: give either files or pairs")
        corpora[name] = CorpusPlan(name, files, pairs)
    if not corpora:
        raise PocketIntentError(f"{top.place('corpora')}: give a table [corpora.NAME]")
    return corpora


def _read_measures(top: Table, input_file: Reader[Path]) -> Measures:
    table = top.table(
        "measure", ("sts", "encode", "intents", "split", "shots", "draws", "decisions")
    )
    sts = table.take("sts", input_file)
    return Measures(
        sts,
        table.get("encode", several(input_file), (sts,)),
        table.get("intents", several(input_file), ()),
        table.get("split", choice(*SPLITS), Measures.split),
        table.get("shots", several(whole(1)), Measures.shots),
        table.get("draws", whole(1), Measures.draws),
        table.get("decisions", several(choice(*DECISIONS)), Measures.decisions),
    )


def _read_algorithms(
    top: Table,
    corpora: Mapping[str, CorpusPlan],
    curves: Curves,
    input_file: Reader[Path],
) -> dict[str, Algorithm]:
    algorithms: dict[str, Algorithm] = {}
    known = ("name", "train", "options", "corpora", "corpus-option", "epochs", "shares")
    name_of_corpus = choice(*corpora)
    for table in top.tables("algorithms", known):
        name = table.take("name", text)
        if name in algorithms:
            raise PocketIntentError(f"{table.place('name')}: {name!r} is there twice")
        algorithms[name] = Algorithm(
            name,
            table.take("train", text),
            table.get("options", _options(algorithms, tuple(corpora), input_file), {}),
            table.get("corpora", several(name_of_corpus), tuple(corpora)),
            table.get("corpus-option", text, Algorithm.corpus_option),
            table.get("epochs", several(whole(1)), curves.epochs),
            table.get("shares", several(share), curves.shares),
            table.place("options"),
        )
    if not algorithms:
        raise PocketIntentError(f"{top.place('algorithms')}: give a table [[algorithms]]")
    return algorithms


def _options(
    algorithms: Mapping[str, Algorithm], corpora: Sequence[str], input_file: Reader[Path]
) -> Reader[dict[str, Any]]:
    """Reader of the options of a training command."""

    def read_option(value: Any, place: str) -> Any:
        if isinstance(value, Mapping) and set(value) == {"file"}:
            return {"file": input_file(value["file"], f"{place}.file")}
        if isinstance(value, Mapping) and set(value) == {"model", "corpus"}:
            model = choice(*algorithms)(value["model"], f"{place}.model")
            corpus = choice(*corpora)(value["corpus"], f"{place}.corpus")
            if corpus not in algorithms[model].corpora:
                raise PocketIntentError(f"{place}: {model!r} is not trained on {corpus!r}")
            return {"model": model, "corpus": corpus}
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str | int | float) for item in items):
            fail(place, "a number, a word, a list, {file = …} or {model = …, corpus = …}", value)
        return value

    def read(value: Any, place: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            fail(place, "a table", value)
        return {key: read_option(item, f"{place}.{key}") for key, item in value.items()}

    return read


def _read_compression(top: Table, algorithms: Mapping[str, Algorithm]) -> Compression:
    known = ("algorithm", "corpus", "keep", "sub-dims", "codebook-sizes", "variants", "sample")
    table = top.table("compression", known)
    algorithm = table.take("algorithm", choice(*algorithms))
    return Compression(
        algorithm,
        table.take("corpus", choice(*algorithms[algorithm].corpora)),
        table.get("keep", several(whole(1)), Compression.keep),
        table.get("sub-dims", several(whole(1)), Compression.sub_dims),
        table.get("codebook-sizes", several(whole(1)), Compression.codebook_sizes),
        table.get("variants", several(choice(*VARIANTS)), Compression.variants),
        table.get("sample", whole(1), Compression.sample),
    )
