from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from two_processes import joined_by

torch = pytest.importorskip("torch")
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder  # noqa: E402
from pocketintent.runtime.encoders.registry import load_encoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model  # noqa: E402
from pocketintent.training.charemb.data import CharEmbData, TargetTerms, read_terms  # noqa: E402
from pocketintent.training.charemb.objective import CharEmbTraining  # noqa: E402
from pocketintent.training.charemb.pipeline import train_charemb  # noqa: E402
from pocketintent.training.charemb.settings import PRESETS, CharEmbSettings  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent.training.vectors.reading import read_vectors  # noqa: E402
from pocketintent.training.vectors.table import TermVectors  # noqa: E402
from pocketintent.training.vectors.writing import write_vectors  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[3]
TOY = CharEmbSettings(
    **{"hidden": 8, "char_dim": 6, "mlp": 12, "max_chars": 12, "min_char_count": 1},
    **{"epochs": 3, "batch_size": 16, "learning_rate": 0.01, "dropout": 0.0, "reads": "words"},
)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Vectors that the first letter decides."""
    rng = np.random.default_rng(0)
    letters = rng.standard_normal((5, 6)).astype(np.float32)
    words = sorted({"abcde"[i % 5] + "".join(rng.choice(list("fgh"), i % 4)) for i in range(160)})
    vectors = np.stack([letters["abcde".index(word[0])] for word in words])
    path = tmp_path / "target.txt"
    write_vectors(path, TermVectors(words, vectors))
    return path


def read_examples(target: Path, settings: CharEmbSettings) -> TargetTerms:
    vectors = read_vectors(target)
    return read_terms(vectors.terms, vectors.vectors, settings.max_chars)


def test_a_run_writes_a_model_file_near_its_target(target: Path, tmp_path: Path) -> None:
    out, exact = tmp_path / "model.safetensors", tmp_path / "exact.safetensors"
    settings = replace(TOY, epochs=40, patience=0)
    lines: list[str] = []
    record = train_charemb(
        [target], out, settings, RunOptions(report=lines.append), float_out=exact
    )
    encoder, float_encoder = load_encoder(out), load_encoder(exact)
    assert isinstance(encoder, CharEncoder) and isinstance(float_encoder, CharEncoder)
    assert (encoder.reads, encoder.weights.format) == ("words", "int8")
    assert float_encoder.weights.format == "float32"
    assert record["bytes"] == out.stat().st_size
    assert record["validation"]["cosine"] > 0.9
    assert record["validation"]["cosine"] >= record["validation"]["cosine_2_errors"]
    manifest = load_model(out).manifest
    assert manifest["training"].items() <= record.items()
    assert manifest["quality"]["validation"] == record["validation"]
    assert manifest["training"]["settings"] == asdict(settings)
    vectors = read_examples(target, settings)
    products = (encoder.encode_batch(vectors.texts) * vectors.directions).sum(axis=1)
    assert products.mean() > 0.9
    lost = np.abs(encoder.encode_batch(["af", "bg"]) - float_encoder.encode_batch(["af", "bg"]))
    assert lost.max() < 0.05
    assert lines[0].endswith("held out, 9 characters")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [out.name, exact.name, target.name]
    )


def test_a_killed_run_is_refused_resumed_to_the_same_model_or_restarted(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outs = [tmp_path / name / "model.safetensors" for name in ("whole", "killed")]
    for out in outs:
        out.parent.mkdir()
    train_charemb([target], outs[0], TOY)
    train = Trainer.train
    with monkeypatch.context() as patch:

        def stop(trainer: Trainer) -> None:
            train(trainer, stop_after=7)
            raise KeyboardInterrupt

        patch.setattr(Trainer, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            train_charemb([target], outs[1], TOY)
    with pytest.raises(PocketIntentError, match="--resume continues it"):
        train_charemb([target], outs[1], TOY)
    with pytest.raises(PocketIntentError, match="other settings"):
        train_charemb([target], outs[1], replace(TOY, seed=1), RunOptions(resume=True))
    with monkeypatch.context() as patch:
        # As on a GPU: a CPU has one precision for recurrent layers.
        name = "pocketintent.training.charemb.pipeline.choose_precision"
        patch.setattr(name, lambda *args, **options: torch.float16)
        with pytest.raises(PocketIntentError, match=r"other settings \(precision\)"):
            train_charemb([target], outs[1], TOY, RunOptions(resume=True))
    train_charemb([target], outs[1], TOY, RunOptions(resume=True))
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_run_killed_while_it_deletes_its_folder_has_finished(
    target: Path, tmp_path: Path, killed_while_deleting: Callable[[Callable[..., Any]], None]
) -> None:
    unbroken, out = tmp_path / "unbroken.safetensors", tmp_path / "out.safetensors"
    record = train_charemb([target], unbroken, TOY)
    killed_while_deleting(lambda: train_charemb([target], out, TOY))
    lines: list[str] = []
    again = train_charemb([target], out, TOY, RunOptions(resume=True, report=lines.append))
    assert again | {"seconds": record["seconds"]} == record
    assert lines == [f"{out} was finished; the rest of its work folder is now deleted"]
    assert out.read_bytes() == unbroken.read_bytes()
    assert not list(tmp_path.glob("*.work*"))


def test_a_model_of_word_vectors_can_be_the_target(tiny_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    record = train_charemb([tiny_model], out, replace(TOY, validation=0.0))
    assert "validation" not in record
    assert load_encoder(out).dim == 32


@pytest.mark.parametrize(
    ("preset", "most"), [("tiny", 600_000), ("small", 3_500_000)], ids=["tiny", "small"]
)
def test_a_preset_keeps_its_size(preset: str, most: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    letters = [chr(point) for point in range(ord("a"), ord("a") + 26)] + list("äöüßéèñçøå")
    words = ["".join(rng.choice(letters, 6)) for _ in range(64)]
    path, out = tmp_path / "target.txt", tmp_path / "model.safetensors"
    write_vectors(path, TermVectors(words, rng.standard_normal((64, 256)).astype(np.float32)))
    settings = replace(PRESETS[preset], epochs=1, min_char_count=1, batch_size=64)
    record = train_charemb([path], out, settings)
    assert record["bytes"] == out.stat().st_size <= most


def test_presets_have_the_settings_of_the_paper() -> None:
    sizes = {name: (preset.hidden, preset.layers) for name, preset in PRESETS.items()}
    assert sizes == {"tiny": (128, 1), "small": (512, 1), "base": (512, 2), "large": (768, 2)}
    for preset in PRESETS.values():
        preset.check()
        assert preset.bidirectional and preset.cell == "lstm"
        assert (preset.batch_size, preset.weight_decay) == (256, 1e-8)
    for name in ("small", "base", "large"):
        preset = PRESETS[name]
        assert (preset.dropout, preset.validation, preset.patience) == (0.2, 0.2, 10)
        assert preset.learning_rate == (5e-4 if name == "large" else 1e-3)
        assert (preset.norm_weight, preset.typing_errors) == (0.0, 0.0)  # the cosine alone


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cell": "brain"}, "cell must be one of"),
        ({"hidden": 0}, "hidden must be at least 1"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1"),
        ({"validation": -0.1}, "validation must be at least 0"),
        ({"typing_errors": 1.5}, "typing_errors must be at least 0 and at most 1"),
        ({"learning_rate": float("inf")}, "finite number"),
        ({"seed": 2**63}, "seed must be at least 0 and below"),
    ],
)
def test_bad_settings_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(PocketIntentError, match=message):
        replace(TOY, **change).check()


def test_two_processes_take_the_steps_of_one_over_both_batches(
    target: Path, tmp_path: Path
) -> None:
    settings = replace(TOY, clip=1e6, schedule="constant")
    outs = [tmp_path / f"{rank}.safetensors" for rank in (0, 1)]
    exact = tmp_path / "exact.safetensors"
    with joined_by(SECOND, str(target), str(outs[1]), repr(asdict(settings))):
        train_charemb([target], outs[0], settings, float_out=exact)
    assert not outs[1].exists()
    encoder = load_encoder(exact)
    assert isinstance(encoder, CharEncoder)
    expected = trained_by_pairs(target, settings).model.parameters_by_name()
    for name, value in encoder.weights.decode().items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-3, atol=1e-4)
    assert len(encoder.manifest["training"]["history"]) == settings.epochs


SECOND = """
import ast, sys
from pocketintent.training.charemb.pipeline import train_charemb
from pocketintent.training.charemb.settings import CharEmbSettings
target, out, settings = sys.argv[1:]
train_charemb([target], out, CharEmbSettings(**ast.literal_eval(settings)))
"""


def trained_by_pairs(target: Path, settings: CharEmbSettings) -> CharEmbTraining:
    """One process that takes the steps of two: each over a pair of batches."""
    data = CharEmbData.split(read_examples(target, settings), settings)
    task = CharEmbTraining(data, settings)
    best = -1.0
    for epoch in range(settings.epochs):
        task.start_epoch(epoch)
        for first in range(0, len(task.batches), 2):
            numbers = range(first, min(first + 2, len(task.batches)))
            pair = [task.batches.batch(number) for number in numbers]
            task.model.train()
            task.optimizer.zero_grad()
            total = sum(len(batch.rows) for batch in pair)
            for batch in pair:
                (task.loss(batch) * (len(batch.rows) / total)).backward()
            task.optimizer.step()
        cosine = round(task.validation_cosine(), 6)
        if cosine > best:
            best, weights = cosine, {k: v.clone() for k, v in task.model.state_dict().items()}
    task.model.load_state_dict(weights)
    return task
