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
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent_lab.training.glove.pipeline import train_glove  # noqa: E402
from pocketintent_lab.training.glove.settings import GloveSettings  # noqa: E402

SMALL = GloveSettings(dim=8, epochs=8, batch_size=16, x_max=10)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups of words that only occur among themselves."""
    rng = np.random.default_rng(0)
    groups = [["red", "green", "blue", "pink", "grey"], ["cat", "dog", "cow", "hen", "duck"]]
    lines = [" ".join(rng.choice(groups[number % 2], 6)) for number in range(100)]
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(lines))
    return path


def test_words_that_occur_together_become_similar(corpus: Path, tmp_path: Path) -> None:
    # One sentence has words of both groups, so that some words seldom meet.
    mixed = tmp_path / "mixed.txt"
    mixed.write_text(corpus.read_text() + "\nred cat\n")
    out = tmp_path / "model.safetensors"
    record = train_glove([mixed], out, replace(SMALL, epochs=40))
    assert record["loss"][-1] < 0.2 * record["loss"][0]
    encoder = load_encoder(out)
    assert encoder.encode("green") @ encoder.encode("blue") > 0.9


def test_the_file_records_its_training(corpus: Path, tmp_path: Path) -> None:
    out, lines = tmp_path / "model.safetensors", []
    options = RunOptions(command="the command", languages=["en"], report=lines.append)
    record = train_glove([corpus], out, SMALL, options)
    model = load_model(out)
    assert model.manifest["training"] == record
    assert model.manifest["languages"] == ["en"]
    assert (record["method"], record["command"]) == ("glove", "the command")
    assert record["settings"] == asdict(SMALL)
    assert record["pairs"] == 2 * 15  # of 5 words, pairs with themselves included
    assert len(record["loss"]) == 8
    assert sum(model.tensors["vocabulary.counts"].tolist()) == 600
    assert any(line.startswith("epoch 8 of 8: loss") for line in lines)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_seed_gives_one_file_and_another_seed_another(corpus: Path, tmp_path: Path) -> None:
    files = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train_glove([corpus], tmp_path / name, replace(SMALL, seed=seed))
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] != files[2]


def test_a_resumed_run_gives_the_file_of_an_unbroken_run(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole.safetensors", tmp_path / "model.safetensors"
    train_glove([corpus], whole, SMALL)

    def stop(trainer: Trainer) -> None:
        train(trainer, 5)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        train: Callable[..., Any] = Trainer.train
        patch.setattr(Trainer, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            train_glove([corpus], out, SMALL)
    with pytest.raises(PocketIntentError, match="--resume continues it"):
        train_glove([corpus], out, SMALL)
    lines: list[str] = []
    train_glove([corpus], out, SMALL, RunOptions(resume=True, report=lines.append))
    assert "resuming after 2 of 8 epochs" in lines
    assert not any("counting" in line for line in lines)
    assert out.read_bytes() == whole.read_bytes()


SECOND = """
import ast, sys
from pocketintent_lab.training.glove.settings import GloveSettings
from pocketintent_lab.training.glove.pipeline import train_glove
out, corpus, settings = sys.argv[1:]
train_glove([corpus], out, GloveSettings(**ast.literal_eval(settings)))
"""


def test_two_processes_train_one_model(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    with joined_by(SECOND, str(out), str(corpus), repr(asdict(SMALL))):
        record = train_glove([corpus], out, SMALL)
    assert load_model(out).manifest["training"] == record
    assert record["loss"][-1] < record["loss"][0]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


BAD = [
    ({"dim": 0}, "dim must be at least 1"),
    ({"x_max": 0.0}, "x_max must be above 0"),
    ({"alpha": -1.0}, "alpha must be at least 0"),
    ({"memory": 0}, "memory must be at least 1"),
    ({"min_count": 10_000}, "no word that occurs 10000 times"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=str)
def test_bad_settings_leave_nothing_behind(
    corpus: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        train_glove([corpus], tmp_path / "model", replace(SMALL, **changes))
    assert not list(tmp_path.iterdir())
