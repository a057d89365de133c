from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from two_processes import joined_by

torch = pytest.importorskip("torch")
from pocketintent.compression.kinds import words_of  # noqa: E402
from pocketintent.runtime.encoders.registry import load_encoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent_lab.training.sent2vec.pipeline import train_sent2vec  # noqa: E402
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings  # noqa: E402

SMALL = Sent2VecSettings(dim=8, epochs=4, batch_tokens=60, num_buckets=30)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups of words that only occur among themselves."""
    rng = np.random.default_rng(0)
    groups = [["red", "green", "blue", "pink", "grey"], ["cat", "dog", "cow", "hen", "duck"]]
    lines = [" ".join(rng.choice(groups[number % 2], 6)) for number in range(100)]
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(lines))
    return path


def test_words_of_one_kind_of_sentence_become_similar(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    record = train_sent2vec([corpus], out, replace(SMALL, epochs=12, negatives=2))
    assert record["loss"][-1] < 0.8 * record["loss"][0]
    encoder = load_encoder(out)
    near = encoder.encode("red") @ encoder.encode("green")
    assert near > encoder.encode("red") @ encoder.encode("cat") + 0.2


def test_the_model_has_the_words_without_the_bigrams(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    train_sent2vec([corpus], out, SMALL)
    model = load_model(out)
    assert model.manifest["kind"] == "static"
    assert "ngrams" not in model.manifest
    encoder = load_encoder(out)
    assert len(words_of(encoder).words) == 10


def test_the_file_records_its_training(corpus: Path, tmp_path: Path) -> None:
    out, lines = tmp_path / "model.safetensors", []
    options = RunOptions(command="the command", languages=["en"], report=lines.append)
    record = train_sent2vec([corpus], out, SMALL, options)
    model = load_model(out)
    assert model.manifest["training"] == record
    assert model.manifest["languages"] == ["en"]
    assert (record["method"], record["command"]) == ("sent2vec", "the command")
    assert record["settings"] == asdict(SMALL)
    assert record["words_per_epoch"] == 600
    assert len(record["loss"]) == 4
    assert sum(model.tensors["vocabulary.counts"].tolist()) == 600
    assert any(line.startswith("epoch 4 of 4: loss") for line in lines)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_seed_gives_one_file_and_another_seed_another(corpus: Path, tmp_path: Path) -> None:
    files = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train_sent2vec([corpus], tmp_path / name, replace(SMALL, seed=seed))
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1] != files[2]


def test_a_resumed_run_gives_the_file_of_an_unbroken_run(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole.safetensors", tmp_path / "model.safetensors"
    train_sent2vec([corpus], whole, SMALL)

    def stop(trainer: Trainer) -> None:
        train(trainer, 25)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        train: Callable[..., Any] = Trainer.train
        patch.setattr(Trainer, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            train_sent2vec([corpus], out, SMALL)
    with pytest.raises(PocketIntentError, match="--resume continues it"):
        train_sent2vec([corpus], out, SMALL)
    lines: list[str] = []
    train_sent2vec([corpus], out, SMALL, RunOptions(resume=True, report=lines.append))
    assert "resuming after 2 of 4 epochs" in lines
    assert not any("counting" in line for line in lines)
    assert out.read_bytes() == whole.read_bytes()


SECOND = """
import ast, sys
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings
from pocketintent_lab.training.sent2vec.pipeline import train_sent2vec
out, corpus, settings = sys.argv[1:]
train_sent2vec([corpus], out, Sent2VecSettings(**ast.literal_eval(settings)))
"""


def test_two_processes_train_one_model(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    with joined_by(SECOND, str(out), str(corpus), repr(asdict(SMALL))):
        record = train_sent2vec([corpus], out, SMALL)
    assert load_model(out).manifest["training"] == record
    assert record["loss"][-1] < record["loss"][0]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


BAD = [
    ({"dim": 0}, "dim must be at least 1"),
    ({"num_buckets": -1}, "num_buckets must be at least 0"),
    ({"subsample": -1.0}, "subsample must be at least 0"),
    ({"optimizer": "adam"}, "optimizer must be one of adagrad, sgd"),
    ({"min_count": 10_000}, "no word that occurs 10000 times"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=str)
def test_bad_settings_leave_nothing_behind(
    corpus: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        train_sent2vec([corpus], tmp_path / "model", replace(SMALL, **changes))
    assert not list(tmp_path.iterdir())
