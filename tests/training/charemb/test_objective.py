from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.training.charemb.data import CharEmbData, make_batch, read_terms  # noqa: E402
from pocketintent.training.charemb.model import build_network  # noqa: E402
from pocketintent.training.charemb.objective import CharEmbTraining  # noqa: E402
from pocketintent.training.charemb.settings import CharEmbSettings  # noqa: E402
from pocketintent.training.loop.trainer import CHECKPOINT, Trainer  # noqa: E402

MakeTrainer = Callable[..., Trainer]
TOY: dict[str, Any] = {
    **{"hidden": 8, "char_dim": 4, "mlp": 12, "max_chars": 12, "min_char_count": 1},
    **{
        "epochs": 3,
        "batch_size": 16,
        "learning_rate": 0.01,
        "dropout": 0.1,
        "schedule": "constant",
    },
}


def toy_data(settings: CharEmbSettings) -> CharEmbData:
    """Words with a vector for each first letter, scaled by the length of the word."""
    rng = np.random.default_rng(0)
    letters = rng.standard_normal((5, 6)).astype(np.float32)
    letters /= np.linalg.norm(letters, axis=1, keepdims=True)
    words = sorted({"abcde"[i % 5] + "".join(rng.choice(list("fgh"), i % 4)) for i in range(160)})
    vectors = np.stack([letters["abcde".index(word[0])] * len(word) for word in words])
    return CharEmbData.split(read_terms(words, vectors, settings.max_chars), settings)


@pytest.fixture
def make_trainer(tmp_path: Path) -> MakeTrainer:
    """A function from settings to a trainer whose checkpoints are in a folder of the test."""

    def make(folder: str = "work", **options: Any) -> Trainer:
        precision = options.pop("precision", "auto")
        max_minutes = options.pop("max_minutes", None)
        settings = CharEmbSettings(**(TOY | options))
        (tmp_path / folder).mkdir(exist_ok=True)
        task = CharEmbTraining(toy_data(settings), settings, precision=precision)
        return Trainer(task, tmp_path / folder, max_minutes=max_minutes)

    return make


def weights(trainer: Trainer) -> torch.Tensor:
    return torch.cat(
        [parameter.detach().reshape(-1) for parameter in trainer.task.model.parameters()]
    )


VARIANTS: list[dict[str, Any]] = [
    {},
    {"cell": "gru", "layers": 2, "schedule": "linear", "validation": 0.0},
    {"layers": 2, "dropout": 0.3},
    {"cell": "transformer", "rank_power": 0.5, "norm_weight": 0.0},
    {"cell": "transformer", "precision": "bfloat16"},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_run_stopped_anywhere_and_resumed_is_the_unbroken_run(
    make_trainer: MakeTrainer, options: dict[str, Any]
) -> None:
    unbroken = make_trainer("unbroken", **options)
    unbroken.train()
    steps = 0
    while True:
        part = make_trainer("broken", **options)
        assert part.resume() == (steps > 0)
        torch.manual_seed(steps)  # what a new process has is not what the old one had
        part.train(stop_after=4)
        steps += 4
        if len(part.history) == 3:
            break
        assert steps < 200
    assert steps > 8  # stopped in the middle of epochs, more than once
    again = make_trainer("broken", **options)
    assert again.resume()
    again.train()
    for trainer in (part, again):
        assert torch.equal(weights(trainer), weights(unbroken))
        assert trainer.history == unbroken.history


def test_a_scaled_loss_is_resumed_too(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A CPU has no LSTM in float16, and its GRU is slow in it, but the loop is the same.
    asked: list[bool] = []

    def choose(precision: str, device: torch.device, *, recurrent: bool) -> torch.dtype:
        asked.append(recurrent)
        return torch.float16

    monkeypatch.setattr("pocketintent.training.charemb.objective.choose_precision", choose)
    unbroken = make_trainer("unbroken", cell="gru")
    assert unbroken.task._descent._scaler.is_enabled()
    unbroken.train()
    for _ in range(2):
        part = make_trainer("broken", cell="gru")
        part.resume()
        part.train(stop_after=12)
    part = make_trainer("broken", cell="gru")
    assert part.resume()
    part.train()
    assert all(asked)
    assert torch.equal(weights(part), weights(unbroken))
    assert unbroken.history[-1]["cosine"] > unbroken.history[0]["cosine"]


def test_half_precision_without_a_gpu_is_refused(make_trainer: MakeTrainer) -> None:
    with pytest.raises(PocketIntentError, match="float16 needs a GPU"):
        make_trainer(precision="float16")


@pytest.mark.parametrize("cell", ["lstm", "gru", "transformer"])
def test_a_toy_mapping_is_learnt_with_its_lengths(make_trainer: MakeTrainer, cell: str) -> None:
    trainer = make_trainer(cell=cell, epochs=40, patience=0, dropout=0.0, typing_errors=0.0)
    lines: list[str] = []
    trainer._report = lines.append
    trainer.train()
    assert len(lines) == len(trainer.history) == 40
    assert lines[0].startswith("epoch 1 of 40: loss ")
    assert trainer.history[trainer.task.best_epoch(40) - 1]["cosine"] > 0.9
    rows = np.arange(len(trainer.task.data.training))
    trainer.task.model.eval()
    batch = make_batch(trainer.task.data.vocabulary, trainer.task.data.training.texts, rows)
    _, log_norms = trainer.task.forward(batch)
    assert log_norms is not None
    error = log_norms.detach().numpy() - trainer.task.data.training.log_norms
    assert np.abs(error).mean() < 0.2 < trainer.task.data.training.log_norms.std()


def test_training_ends_when_the_validation_cosine_stops_rising(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(epochs=50, patience=2, learning_rate=1e-9)
    cosines = iter([0.1, 0.3, 0.2, 0.3, 0.9])
    snapshots: list[torch.Tensor] = []

    def validate() -> float:
        snapshots.append(weights(trainer).clone())
        return next(cosines)

    trainer.task.validation_cosine = validate  # type: ignore[method-assign]
    trainer.train()
    assert [entry["cosine"] for entry in trainer.history] == [0.1, 0.3, 0.2, 0.3]
    assert trainer.task.best_epoch(4) == 2
    assert torch.equal(weights(trainer), snapshots[1])


def test_training_ends_when_its_time_is_over(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer(epochs=1000, max_minutes=1e-9)
    trainer.train()
    assert len(trainer.history) == 1  # the epoch was broken off, and measured
    again = make_trainer(epochs=1000, max_minutes=1e-9)
    assert again.resume()
    again.train()
    assert torch.equal(weights(again), weights(trainer))


def test_the_learning_rate_is_constant_or_falls_linearly_to_zero(make_trainer: MakeTrainer) -> None:
    for schedule, last in (("constant", 1.0), ("linear", 0.0)):
        trainer = make_trainer(schedule, schedule=schedule, epochs=2, validation=0.0)
        rates = []
        while trainer._next[0] < 2:
            rates.append(trainer.task.rate(trainer.progress))
            trainer.train(stop_after=1)
        assert rates[0] == 1.0
        assert trainer.task.rate(trainer.progress) == pytest.approx(last)
        assert np.ptp(np.diff(rates)) < 1e-9


def test_checkpoints_are_written_between_epochs_as_time_passes(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(epochs=1)
    trainer._checkpoint_seconds = -1.0
    saved: list[tuple[int, int]] = []
    monkeypatch.setattr(trainer, "_save", lambda: saved.append(trainer._next))
    trainer.train()
    assert saved[:3] == [(0, 1), (0, 2), (0, 3)]
    assert saved[-1] == (1, 0)


def test_a_loss_of_nan_ends_the_run(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    with torch.no_grad():
        trainer.task.model.mlp[1].bias[0] = float("nan")
    with pytest.raises(PocketIntentError, match="lower --learning-rate"):
        trainer.train()


def test_a_checkpoint_that_cannot_be_used_is_named(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    assert not trainer.resume()
    path = trainer._folder / CHECKPOINT
    make_trainer("other", hidden=10).train(stop_after=1)
    other = (trainer._folder.parent / "other" / CHECKPOINT).read_bytes()
    for data in (b"", b"no checkpoint", other[: len(other) // 2], other):
        path.write_bytes(data)
        with pytest.raises(PocketIntentError, match=r"checkpoint\.pt: cannot resume"):
            make_trainer().resume()


def test_the_settings_know_which_cells_are_recurrent() -> None:
    cells = {"lstm": True, "gru": True, "transformer": False}
    assert {cell: CharEmbSettings(cell=cell).recurrent for cell in cells} == cells


def test_a_transformer_has_embeddings_of_its_width() -> None:
    network = build_network(CharEmbSettings(cell="transformer", hidden=32, char_dim=8), 10)
    assert (network.char_dim, network.outputs) == (32, 11)
    assert build_network(CharEmbSettings(norm_weight=0.0), 10).outputs == 10
