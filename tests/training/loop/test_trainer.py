from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.training.corpora.encoded import EncodedCorpus  # noqa: E402
from pocketintent.training.loop.trainer import CHECKPOINT, Trainer  # noqa: E402
from pocketintent.training.starspace.data import BagBatches, WordBatches  # noqa: E402
from pocketintent.training.starspace.model import StarSpace  # noqa: E402
from pocketintent.training.starspace.settings import StarSpaceSettings  # noqa: E402

NUM_WORDS = 30
MakeTrainer = Callable[..., Trainer]


@pytest.fixture
def make_trainer(make_corpus: Callable[..., EncodedCorpus], tmp_path: Path) -> MakeTrainer:
    """A function from settings to a trainer whose checkpoints are in one folder of the test."""
    rng = np.random.default_rng(0)
    sentences = [rng.integers(0, NUM_WORDS, rng.integers(2, 9)).tolist() for _ in range(120)]
    labels = [sentence[0] % 3 for sentence in sentences]
    corpus = make_corpus([[sentence] for sentence in sentences], labels)
    counts = np.bincount(corpus.ids, minlength=NUM_WORDS)

    def make(folder: str = "work", **options: object) -> Trainer:
        defaults: dict[str, object] = {
            "dim": 6,
            "epochs": 3,
            "row_length": 8,
            "batch_tokens": 64,
            "margin": 0.3,
            "subsample": 0.05,
        }
        settings = StarSpaceSettings(**(defaults | options))  # type: ignore[arg-type]
        (tmp_path / folder).mkdir(exist_ok=True)
        words = [f"word{number}" for number in range(NUM_WORDS)]
        if settings.mode == "word":
            model = StarSpace(settings, words)
            return Trainer(model, WordBatches(corpus, counts, settings), tmp_path / folder)
        label_counts = np.bincount(labels) if settings.mode == "labelled" else None
        model = StarSpace(settings, words, num_labels=3 if settings.mode == "labelled" else 0)
        batches = BagBatches(corpus, label_counts, NUM_WORDS, settings)
        return Trainer(model, batches, tmp_path / folder)

    return make


VARIANTS = [
    {},
    {"share_sides": False, "num_buckets": 40, "loss": "softmax"},
    {"optimizer": "sgd", "max_norm": None},
    {"mode": "sentence"},
    {"mode": "labelled", "num_buckets": 40},
]


@pytest.mark.parametrize("options", VARIANTS)
def test_a_run_stopped_anywhere_and_resumed_is_the_unbroken_run(
    make_trainer: MakeTrainer, options: dict[str, object]
) -> None:
    unbroken = make_trainer("unbroken", **options)
    unbroken.train()
    steps = 0
    while True:
        part = make_trainer("broken", **options)
        assert part.resume() == (steps > 0)
        part.train(stop_after=4)
        steps += 4
        if len(part.history) == 3:
            break
        assert steps < 200
    assert steps > 8  # stopped in the middle of epochs, more than once
    assert torch.equal(part.model.words.table, unbroken.model.words.table)
    if unbroken.model.ngrams is not None and part.model.ngrams is not None:
        assert torch.equal(part.model.ngrams.table, unbroken.model.ngrams.table)
    assert part.history == unbroken.history


def test_a_finished_run_has_nothing_left_to_train(make_trainer: MakeTrainer) -> None:
    done = make_trainer()
    done.train()
    again = make_trainer()
    assert again.resume()
    again.train()
    assert torch.equal(again.model.words.table, done.model.words.table)
    assert len(again.history) == 3


def test_checkpoints_are_written_between_epochs_as_time_passes(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(epochs=1)
    trainer._checkpoint_seconds = -1.0
    saved: list[tuple[int, int]] = []
    save = trainer._save
    monkeypatch.setattr(trainer, "_save", lambda: (saved.append(trainer._next), save()))
    trainer.train()
    assert saved[:3] == [(0, 1), (0, 2), (0, 3)]
    assert saved[-1] == (1, 0)


def test_the_loss_falls_and_is_reported_once_an_epoch(make_trainer: MakeTrainer) -> None:
    for mode in ("word", "sentence", "labelled"):
        trainer = make_trainer(mode, mode=mode, epochs=6, learning_rate=0.1)
        lines: list[str] = []
        trainer._report = lines.append
        trainer.train()
        assert len(lines) == len(trainer.history) == 6
        assert lines[0].startswith("epoch 1 of 6: loss ")
        assert trainer.history[-1] < trainer.history[0]


def test_the_rate_falls_to_zero_in_line(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(epochs=2, learning_rate=0.4)
    rates: list[float] = []
    monkeypatch.setattr(trainer.model, "step", lambda gradients, rate: rates.append(rate))
    trainer.train()
    assert rates[0] == 0.4
    assert rates == sorted(rates, reverse=True)
    assert 0 < rates[-1] < 0.4 / (len(rates) - 2)
    assert np.diff(rates).max() < 0


def test_a_loss_that_is_no_number_ends_the_run(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(
        loss="softmax", optimizer="sgd", learning_rate=1e30, max_norm=None, epochs=20
    )
    with pytest.raises(PocketIntentError, match="lower --learning-rate"):
        trainer.train()


def test_a_checkpoint_that_cannot_be_used_is_named(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    assert not trainer.resume()
    path = trainer._folder / CHECKPOINT
    make_trainer("other", dim=7).train(stop_after=1)
    other = (trainer._folder.parent / "other" / CHECKPOINT).read_bytes()
    for data in (b"", b"no checkpoint", other[: len(other) // 2], other):
        path.write_bytes(data)
        with pytest.raises(PocketIntentError, match=r"checkpoint\.pt: cannot go on"):
            make_trainer().resume()
