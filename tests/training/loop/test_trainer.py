from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.training.corpora.encoded import EncodedCorpus  # noqa: E402
from pocketintent.training.loop.devices import Workers  # noqa: E402
from pocketintent.training.loop.table_training import TableTraining  # noqa: E402
from pocketintent.training.loop.trainer import (  # noqa: E402  # noqa: E402
    CHECKPOINT,
    Epoch,
    Measurement,
    Step,
    Trainable,
    Trainer,
)
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
            batches = WordBatches(corpus, counts, settings)
            task = TableTraining(StarSpace(settings, words), batches)
            return Trainer(task, tmp_path / folder)
        label_counts = np.bincount(labels) if settings.mode == "labelled" else None
        model = StarSpace(settings, words, num_labels=3 if settings.mode == "labelled" else 0)
        bags = BagBatches(corpus, label_counts, NUM_WORDS, settings)
        return Trainer(TableTraining(model, bags), tmp_path / folder)

    return make


VARIANTS = [
    {},
    {"share_sides": False, "num_buckets": 40, "loss": "softmax"},
    {"optimizer": "sgd", "max_norm": None},
    {"mode": "sentence"},
    {"share_sides": False, "accumulate": "example", "violations": "mean", "bound_targets": False},
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
    assert torch.equal(part.task.model.words.table, unbroken.task.model.words.table)
    if unbroken.task.model.ngrams is not None and part.task.model.ngrams is not None:
        assert torch.equal(part.task.model.ngrams.table, unbroken.task.model.ngrams.table)
    assert part.history == unbroken.history


def test_a_finished_run_has_nothing_left_to_train(make_trainer: MakeTrainer) -> None:
    done = make_trainer()
    done.train()
    again = make_trainer()
    assert again.resume()
    again.train()
    assert torch.equal(again.task.model.words.table, done.task.model.words.table)
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


def test_the_learning_rate_falls_linearly_to_zero(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(epochs=2, learning_rate=0.4)
    rates: list[float] = []
    monkeypatch.setattr(trainer.task.model, "step", lambda gradients, rate: rates.append(rate))
    trainer.train()
    assert rates[0] == 0.4
    assert rates == sorted(rates, reverse=True)
    assert 0 < rates[-1] < 0.4 / (len(rates) - 2)
    assert np.diff(rates).max() < 0


def test_a_loss_of_nan_ends_the_run(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(
        loss="softmax", optimizer="sgd", learning_rate=1e6, max_norm=None, epochs=200
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
        with pytest.raises(PocketIntentError, match=r"checkpoint\.pt: cannot resume"):
            make_trainer().resume()


def test_a_lack_of_memory_is_not_a_damaged_checkpoint(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_trainer().train(stop_after=1)
    trainer = make_trainer()

    def load(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(torch, "load", load)
    with pytest.raises(MemoryError):
        trainer.resume()


@pytest.mark.parametrize("state", [{"version": 1, "epoch": 1}, {"epoch": 1}, [1, 2]], ids=str)
def test_a_checkpoint_of_another_version_is_refused(tmp_path: Path, state: object) -> None:
    torch.save(state, tmp_path / CHECKPOINT)
    with pytest.raises(PocketIntentError, match="cannot resume from this checkpoint"):
        Trainer(CountedSteps(), tmp_path).resume()


class CountedSteps(Trainable):
    """A capability that notes what the loop asks of it."""

    epochs, unit, units_per_epoch = 2, "steps", 5

    def __init__(self, workers: Workers | None = None, stop_at: int | None = None) -> None:
        self.workers = workers or Workers()
        self.steps: list[Step] = []
        self.measured: list[Epoch] = []
        self.finished = 0
        self._stop_at = stop_at

    def start_epoch(self, epoch: int) -> int:
        return 5

    def step(self, step: Step) -> tuple[float, float]:
        self.steps.append(step)
        return 3.0, 2.0

    def measure(self, epoch: Epoch) -> Measurement:
        self.measured.append(epoch)
        return Measurement(epoch.loss, "measured", stop=epoch.number == self._stop_at)

    def state(self) -> dict[str, object]:
        return {"steps": len(self.steps)}

    def load_state(self, state: dict[str, object]) -> None:
        self.loaded = state

    def finish(self) -> None:
        self.finished += 1


def test_each_process_takes_every_second_batch_and_the_last_step_may_leave_it_idle(
    tmp_path: Path,
) -> None:
    taken = []
    for rank in (0, 1):
        task = CountedSteps(Workers(rank, count=2))
        Trainer(task, tmp_path).train()
        taken.append([(step.epoch, step.batch, step.idle) for step in task.steps])
        assert [step.progress for step in task.steps] == [0.0, 0.2, 0.4, 0.5, 0.7, 0.9]
        assert [epoch.progress for epoch in task.measured] == [0.5, 1.0]  # never beyond the end
    once = [[(0, False), (2, False), (4, False)], [(1, False), (3, False), (4, True)]]
    assert taken == [[(epoch, *step) for epoch in (0, 1) for step in steps] for steps in once]


def test_only_the_leading_process_writes_checkpoints(tmp_path: Path) -> None:
    Trainer(CountedSteps(Workers(1, count=2)), tmp_path).train()
    assert list(tmp_path.iterdir()) == []
    Trainer(CountedSteps(Workers(0, count=2)), tmp_path).train()
    assert [path.name for path in tmp_path.iterdir()] == [CHECKPOINT]


def test_a_run_is_finished_once_it_is_done_and_not_when_it_is_interrupted(tmp_path: Path) -> None:
    task = CountedSteps()
    trainer = Trainer(task, tmp_path)
    trainer.train(stop_after=7)
    assert (task.finished, len(task.steps)) == (0, 7)
    trainer.train()
    assert (task.finished, len(task.steps)) == (1, 10)
    assert trainer.history == [1.5, 1.5]
    assert [(epoch.number, epoch.loss) for epoch in task.measured] == [(1, 1.5), (2, 1.5)]


def test_a_measurement_can_end_the_run(tmp_path: Path) -> None:
    task, lines = CountedSteps(stop_at=1), []
    Trainer(task, tmp_path, report=lines.append).train()
    assert (len(task.steps), task.finished) == (5, 1)
    assert lines == ["epoch 1 of 2: measured"]
    again = CountedSteps()
    trainer = Trainer(again, tmp_path)
    assert trainer.resume()
    trainer.train()
    assert (again.steps, again.finished, again.loaded) == ([], 1, {"steps": 5})


@pytest.mark.parametrize("show_bar", [True, False])
def test_the_progress_bar_can_be_hidden(
    show_bar: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Trainer(CountedSteps(), tmp_path, show_bar=show_bar).train()
    assert ("steps" in capsys.readouterr().err) == show_bar


def test_the_time_limit_ends_the_epoch_early(tmp_path: Path) -> None:
    task = CountedSteps()
    Trainer(task, tmp_path, max_minutes=1e-12).train()
    assert (len(task.steps), task.finished) == (1, 1)
    assert [epoch.number for epoch in task.measured] == [1]


def test_the_schedule_ends_with_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(range(0, 1000, 6))  # the clock is read once for the start and after each step
    monkeypatch.setattr(
        "pocketintent.training.loop.trainer.time.monotonic", lambda: float(next(ticks))
    )
    task = CountedSteps()
    Trainer(task, tmp_path, max_minutes=1).train()
    progress = [step.progress for step in task.steps]
    assert progress == sorted(progress) and len(progress) < 10  # time ran out first
    assert progress[0] == 0.0 and 0.8 < progress[-1] < 1.0
    assert task.measured[-1].progress == 1.0
