from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from two_processes import joined_by

torch = pytest.importorskip("torch")
from pocketintent.runtime.encoders.registry import load_encoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model  # noqa: E402
from pocketintent.training.distil.pipeline import (  # noqa: E402  # noqa: E402
    TextBatches,
    WordSums,
    prepare_texts,
    train_distilled,
)
from pocketintent.training.distil.settings import DistilSettings  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.table_training import TableTraining  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent.training.teachers.targets import initial_word_vectors, read_targets  # noqa: E402
from pocketintent.training.vectors.table import TermVectors  # noqa: E402
from pocketintent.training.vectors.writing import write_vectors  # noqa: E402

TOY = DistilSettings(dim=6, epochs=8, batch_size=16, learning_rate=0.05, validation=0.1)
WORDS = ["play", "stop", "some", "jazz", "news", "lamp", "the", "light"]


@pytest.fixture
def targets(tmp_path: Path) -> list[Path]:
    """Texts whose vectors are the sums of hidden vectors of their words, and the words alone."""
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((len(WORDS), 6)) * rng.uniform(0.2, 2, (len(WORDS), 1))
    chosen = [rng.choice(len(WORDS), rng.integers(2, 6)) for _ in range(300)]
    texts = [" ".join(WORDS[i] for i in row) for row in chosen]
    sums = np.stack([hidden[row].sum(0) for row in chosen])
    parts = ((WORDS, hidden), (texts, sums))
    paths = [tmp_path / "words.tsv", tmp_path / "texts.tsv"]
    for path, (terms, vectors) in zip(paths, parts, strict=True):
        first = {term: row for row, term in reversed(list(enumerate(terms)))}
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        rows = list(first.values())
        write_vectors(path, TermVectors(list(first), unit[rows].astype(np.float32)))
    return paths


def test_sums_of_words_are_near_the_vectors_of_validation_texts(
    targets: list[Path], tmp_path: Path
) -> None:
    out, lines = tmp_path / "model.safetensors", []
    record = train_distilled(targets, out, TOY, RunOptions(report=lines.append))
    assert record["cosine"]["validation"] > 0.9
    assert record["loss"][-1] < record["loss"][0] / 2
    assert record["texts"]["validation"] > 10
    assert lines[0].endswith("held out to measure, 0 left out without a known word; 8 words")
    manifest = load_model(out).manifest
    assert manifest["training"] == record
    assert record["settings"] == asdict(TOY)
    encoder = load_encoder(out)
    texts = read_targets(targets[1:])
    products = encoder.encode_batch(texts.terms) @ encoder.encode_batch(texts.terms).T
    centred = texts.vectors - texts.vectors.mean(axis=0)
    expected = centred @ centred.T / np.outer(*[np.linalg.norm(centred, axis=1)] * 2)
    assert np.corrcoef(products.ravel(), expected.ravel())[0, 1] > 0.9
    assert not (tmp_path / "model.safetensors.work").exists()


def test_one_seed_gives_one_file(targets: list[Path], tmp_path: Path) -> None:
    outs = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for out in outs:
        train_distilled(targets, out, TOY)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_run_killed_while_it_deletes_its_folder_has_finished(
    targets: list[Path], tmp_path: Path, killed_while_deleting: Callable[[Callable[..., Any]], None]
) -> None:
    unbroken, out = tmp_path / "unbroken.safetensors", tmp_path / "out.safetensors"
    record = train_distilled(targets, unbroken, TOY)
    killed_while_deleting(lambda: train_distilled(targets, out, TOY))
    lines: list[str] = []
    again = train_distilled(targets, out, TOY, RunOptions(resume=True, report=lines.append))
    assert again == record
    assert lines == [f"{out} was finished; the rest of its work folder is now deleted"]
    assert out.read_bytes() == unbroken.read_bytes()
    assert not list(tmp_path.glob("*.work*"))


def test_a_resumed_run_gives_the_file_of_an_unbroken_run(
    targets: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole.safetensors", tmp_path / "model.safetensors"
    train_distilled(targets, whole, TOY)
    with monkeypatch.context() as stopped:
        train = Trainer.train
        stopped.setattr(Trainer, "train", lambda self: (train(self, 31), _stop()))
        with pytest.raises(KeyboardInterrupt):
            train_distilled(targets, out, TOY)
    with pytest.raises(PocketIntentError, match="--resume continues it"):
        train_distilled(targets, out, TOY)
    lines: list[str] = []
    train_distilled(targets, out, TOY, RunOptions(resume=True, report=lines.append))
    assert any(line.startswith("resuming after 1 of 8") for line in lines)
    assert out.read_bytes() == whole.read_bytes()


def test_bad_targets_leave_nothing_behind(targets: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    with pytest.raises(PocketIntentError, match="dim 256 is more than the 6"):
        train_distilled(targets, out, DistilSettings())
    assert list(tmp_path.glob("model*")) == []


def test_two_processes_train_one_model(targets: list[Path], tmp_path: Path) -> None:
    outs = [tmp_path / f"{rank}.safetensors" for rank in (0, 1)]
    with joined_by(SECOND, str(outs[1]), repr(asdict(TOY)), *map(str, targets)):
        record = train_distilled(targets, outs[0], TOY)
    assert record["cosine"]["validation"] > 0.85
    assert load_model(outs[0]).manifest["training"] == record
    assert not outs[1].exists()


SECOND = """
import ast, sys
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.distil.pipeline import train_distilled
out, settings, *targets = sys.argv[1:]
train_distilled(targets, out, DistilSettings(**ast.literal_eval(settings)))
"""


def test_training_moves_every_word_of_the_texts(targets: list[Path], tmp_path: Path) -> None:
    data = prepare_texts(read_targets(targets), TOY)
    start = initial_word_vectors(data.training, data.words.counts, TOY.frequency_weight)
    model = WordSums(TOY, start)
    task = TableTraining(model, TextBatches(data.training, TOY))
    Trainer(task, tmp_path).train(stop_after=20)
    assert (np.abs(model.words.table.numpy() - start).max(axis=1) > 0).all()


def _stop() -> None:
    raise KeyboardInterrupt


def test_a_run_of_few_steps_is_told_to_take_smaller_batches(
    targets: list[Path], tmp_path: Path
) -> None:
    lines: list[str] = []
    train_distilled(
        targets, tmp_path / "few", replace(TOY, epochs=1), RunOptions(report=lines.append)
    )
    assert any("only 16 steps in all" in line for line in lines), lines
    lines.clear()
    train_distilled(targets, tmp_path / "many", TOY, RunOptions(report=lines.append))
    assert not any("steps in all" in line for line in lines)
