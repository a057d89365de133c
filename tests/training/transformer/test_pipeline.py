from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from two_processes import joined_by

torch = pytest.importorskip("torch")
from pocketintent.compression.quantise import quantise_encoder, quantise_network  # noqa: E402
from pocketintent.runtime.encoders.registry import load_kind  # noqa: E402
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model, save_model  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent.training.transformer.pipeline import train_transformer  # noqa: E402
from pocketintent.training.transformer.settings import TransformerSettings  # noqa: E402

TOY = TransformerSettings(layers=2, feedforward=12, max_words=80, epochs=40, learning_rate=0.01)
TOY = replace(TOY, batch_words=60, validation=0.1, min_count=2)


@pytest.fixture(scope="module")
def trained(targets: list[Path], bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "model.safetensors"
    train_transformer(targets, out, TOY, start=bert)
    return out


def cosines(model: Path) -> list[float]:
    return [entry["cosine"] for entry in load_model(model).manifest["training"]["history"]]


def test_it_learns_that_words_change_each_other(trained: Path) -> None:
    assert cosines(trained)[-1] > max(0.8, cosines(trained)[0] + 0.1)
    encoder = load_kind(trained, TransformerEncoder)
    some, play, negated = encoder.encode_batch(["some jazz", "play jazz", "not jazz"])
    assert some @ negated < some @ play - 0.3


def test_the_record_is_the_training_entry_of_the_manifest(
    targets: list[Path], bert: Path, tmp_path: Path
) -> None:
    out, lines = tmp_path / "model.safetensors", []
    settings = replace(TOY, epochs=1)
    options = RunOptions(report=lines.append, languages=["en"])
    record = train_transformer(targets, out, settings, options, start=bert)
    manifest = load_model(out).manifest
    assert manifest["training"] == {k: v for k, v in record.items() if k != "seconds"}
    assert manifest["languages"] == ["en"]
    assert record["settings"] == asdict(settings)
    assert "words and pieces with a vector" in lines[0]
    assert "steps in all teach little" in lines[1]
    assert "validation cosine" in lines[-1]


def test_paraphrases_come_nearer(
    trained: Path, targets: list[Path], paraphrases: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.safetensors"
    settings = replace(TOY, epochs=20, paraphrase_weight=1.0)
    train_transformer(targets, out, settings, start=trained, paraphrases=paraphrases)
    gaps = []
    for model in (trained, out):
        encoder = load_kind(model, TransformerEncoder)
        play, some, stop, none = encoder.encode_batch(["play", "some jazz", "stop", "not jazz"])
        gaps.append(play @ some + stop @ none - play @ none - stop @ some)
    assert gaps[1] > gaps[0] + 0.2
    assert load_model(out).manifest["training"]["start"]["method"] == "transformer"


def test_a_compressed_model_is_trained_on_with_its_codes(
    trained: Path, targets: list[Path], tmp_path: Path
) -> None:
    small, out = tmp_path / "small.safetensors", tmp_path / "out.safetensors"
    encoder = quantise_encoder(load_kind(trained, TransformerEncoder), sub_dim=2, codebook_size=8)
    save_model(small, *quantise_network(encoder).to_model_file_parts())
    corpus = tmp_path / "chats.txt"
    corpus.write_text("play some jazz\nstop the news\n" * 20)
    settings = replace(TOY, epochs=4)
    record = train_transformer(targets, out, settings, start=small, corpus=[corpus])
    before, after = load_kind(small, TransformerEncoder), load_kind(out, TransformerEncoder)
    assert record["settings"]["max_words"] == len(before.vocabulary)
    codes = [name for name in load_model(small).tensors if name.endswith(".codes")]
    assert "network.layers.1.feedforward.0.weight.codes" in codes
    for name in (name for name in codes if not name.startswith(("background", "templates"))):
        np.testing.assert_array_equal(
            load_model(small).tensors[name], load_model(out).tensors[name]
        )
    assert after.network.format == "codebook"
    assert after.background is not None and after.template_quantizer is not None
    assert after.vocabulary.words == before.vocabulary.words
    assert cosines(out)[-1] > cosines(out)[0]


def test_a_resumed_run_gives_the_file_of_an_unbroken_run(
    trained: Path, targets: list[Path], bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, train = tmp_path / "model.safetensors", Trainer.train
    with monkeypatch.context() as stopped:
        stopped.setattr(Trainer, "train", lambda self: (train(self, 31), _stop()))
        with pytest.raises(KeyboardInterrupt):
            train_transformer(targets, out, TOY, start=bert)
    changes: dict[str, Any] = {"precision": "bfloat16"}
    with pytest.raises(PocketIntentError, match="made with other"):
        train_transformer(targets, out, TOY, RunOptions(resume=True), start=bert, **changes)
    train_transformer(targets, out, TOY, RunOptions(resume=True), start=bert)
    assert out.read_bytes() == trained.read_bytes()


def _stop() -> None:
    raise KeyboardInterrupt


def test_two_processes_train_one_model(targets: list[Path], bert: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"{rank}.safetensors" for rank in (0, 1)]
    with joined_by(SECOND, str(outs[1]), repr(asdict(TOY)), str(bert), *map(str, targets)):
        record = train_transformer(targets, outs[0], TOY, start=bert)
    assert record["history"][-1]["cosine"] > record["history"][0]["cosine"]
    assert not outs[1].exists()


SECOND = """
import ast, sys
from pocketintent.training.transformer.settings import TransformerSettings
from pocketintent.training.transformer.pipeline import train_transformer
out, settings, bert, *targets = sys.argv[1:]
train_transformer(targets, out, TransformerSettings(**ast.literal_eval(settings)), start=bert)
"""


def test_a_model_without_counts_is_refused(
    trained: Path, targets: list[Path], tmp_path: Path
) -> None:
    out, bare = tmp_path / "out.safetensors", tmp_path / "bare.safetensors"
    encoder = load_kind(trained, TransformerEncoder).replace(counts=None)
    save_model(bare, *encoder.to_model_file_parts())
    with pytest.raises(PocketIntentError, match="must have counts of its words"):
        train_transformer(targets, out, TOY, start=bare)
    assert list(tmp_path.glob("out*")) == []
