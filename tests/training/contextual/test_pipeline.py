from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from two_processes import joined_by

torch = pytest.importorskip("torch")
from pocketintent.compression.background import add_background  # noqa: E402
from pocketintent.compression.quantise import (  # noqa: E402
    quantise_encoder,
    quantise_network,
)
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder  # noqa: E402
from pocketintent.runtime.encoders.registry import load_encoder, load_kind  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model, save_model  # noqa: E402
from pocketintent.training.contextual.pipeline import train_contextual  # noqa: E402
from pocketintent.training.contextual.settings import ContextualSettings  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent.training.vectors.table import TermVectors  # noqa: E402
from pocketintent.training.vectors.writing import write_vectors  # noqa: E402

TOY = ContextualSettings(
    dim=8, hidden=16, width=3, epochs=8, learning_rate=0.01, row_learning_rate=0.01
)
TOY = replace(TOY, batch_words=60, num_buckets=64, validation=0.1, frequency_weight=0.0)


@pytest.fixture(scope="module")
def trained(targets: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "model.safetensors"
    train_contextual(targets, out, TOY)
    return out


def cosines(model: Path) -> list[float]:
    return [entry["cosine"] for entry in load_model(model).manifest["training"]["history"]]


def test_the_network_learns_what_a_sum_of_words_cannot(
    trained: Path, targets: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "sums.safetensors"
    train_contextual(targets, out, replace(TOY, learning_rate=1e-9))
    assert cosines(trained)[-1] > cosines(out)[-1] + 0.03
    encoder = load_kind(trained, ContextualEncoder)
    affirmed, negated, order = encoder.encode_batch(["play jazz", "not jazz play", "not play jazz"])
    assert negated @ order < 0.9 < encoder.encode("play jazz") @ affirmed


def test_paraphrases_come_nearer(
    trained: Path, targets: list[Path], paraphrases: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.safetensors"
    settings = replace(TOY, epochs=2, paraphrase_weight=1.0)
    train_contextual(targets, out, settings, start=trained, paraphrases=paraphrases)
    gaps = []
    for model in (trained, out):
        encoder = load_kind(model, ContextualEncoder)
        play, some, stop, none = encoder.encode_batch(["play", "some jazz", "stop", "not jazz"])
        gaps.append(play @ some + stop @ none - play @ none - stop @ some)
    assert gaps[1] > gaps[0] + 0.2


def test_the_record_is_the_training_entry_of_the_manifest(
    targets: list[Path], tmp_path: Path
) -> None:
    out, lines = tmp_path / "model.safetensors", []
    settings = replace(TOY, epochs=1)
    record = train_contextual(
        targets, out, settings, RunOptions(report=lines.append, languages=["en"])
    )
    manifest = load_model(out).manifest
    assert manifest["training"] == {k: v for k, v in record.items() if k != "seconds"}
    assert manifest["languages"] == ["en"]
    assert record["settings"] == asdict(settings)
    assert "texts to learn" in lines[0]
    assert "validation cosine" in lines[-1]


def test_a_run_of_few_steps_says_what_to_change(targets: list[Path], tmp_path: Path) -> None:
    lines: list[str] = []
    settings = replace(TOY, epochs=2, batch_words=100_000)
    train_contextual(targets, tmp_path / "few", settings, RunOptions(report=lines.append))
    assert lines[1] == (
        "2 steps in all teach little: give a smaller --batch-words than 100000, or more --epochs "
        "than 2"
    )
    lines.clear()
    settings = replace(TOY, epochs=100, batch_words=300)
    train_contextual(targets, tmp_path / "enough", settings, RunOptions(report=lines.append))
    assert not any("steps" in line for line in lines)


def test_a_compressed_model_is_trained_on_with_its_codes(
    trained: Path, targets: list[Path], tmp_path: Path
) -> None:
    small, out = tmp_path / "small.safetensors", tmp_path / "out.safetensors"
    # Codebooks of two centroids could hardly tell the eight words apart.
    encoder = quantise_encoder(load_kind(trained, ContextualEncoder), sub_dim=4, codebook_size=4)
    save_model(small, *quantise_network(encoder).to_model_file_parts())
    corpus = tmp_path / "chats.txt"
    corpus.write_text("play some jazz\nstop the news\n" * 20)
    settings = ContextualSettings(epochs=4, batch_words=60, validation=0.1)
    record = train_contextual(targets, out, settings, start=small, corpus=[corpus])
    assert record["settings"] == asdict(settings) | {
        key: getattr(TOY, key) for key in ("dim", "hidden", "width", "num_buckets")
    }
    before, after = load_kind(small, ContextualEncoder), load_kind(out, ContextualEncoder)
    np.testing.assert_array_equal(
        load_model(small).tensors["words.codes"], load_model(out).tensors["words.codes"]
    )
    assert after.network.format == "int8"
    assert after.vocabulary.words == before.vocabulary.words
    assert after.background is not None
    assert after.template_quantizer is not None
    assert cosines(out)[-1] > cosines(out)[0]
    assert load_model(out).manifest["training"]["start"]["method"] == "contextual"


def test_the_seed_draws_the_background_too(targets: list[Path], tmp_path: Path) -> None:
    lines = [f"play song {number}" for number in range(600)]
    corpus, out = tmp_path / "chats.txt", tmp_path / "out.safetensors"
    corpus.write_text("\n".join(lines))
    train_contextual(targets, out, replace(TOY, seed=3, epochs=1), corpus=[corpus])
    encoder = load_kind(out, ContextualEncoder)
    drawn = {seed: add_background(encoder, lines, seed=seed).background for seed in (0, 3)}
    codes = {seed: background.ngrams.codes for seed, background in drawn.items()}
    assert np.array_equal(encoder.background.ngrams.codes, codes[3])
    assert not np.array_equal(codes[0], codes[3])


def test_a_resumed_run_gives_the_file_of_an_unbroken_run(
    trained: Path, targets: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, train = tmp_path / "model.safetensors", Trainer.train
    with monkeypatch.context() as stopped:
        stopped.setattr(Trainer, "train", lambda self: (train(self, 31), _stop()))
        with pytest.raises(KeyboardInterrupt):
            train_contextual(targets, out, TOY)
    with pytest.raises(PocketIntentError, match="--resume continues it"):
        train_contextual(targets, out, TOY)
    other = tmp_path / "corpus.txt"
    other.write_text("hello\n")
    for changes in ({"precision": "bfloat16"}, {"corpus": [other]}):
        with pytest.raises(PocketIntentError, match="made with other"):
            train_contextual(targets, out, TOY, RunOptions(resume=True), **changes)
    train_contextual(targets, out, TOY, RunOptions(resume=True))
    assert out.read_bytes() == trained.read_bytes()


def test_two_processes_train_one_model(targets: list[Path], tmp_path: Path) -> None:
    outs = [tmp_path / f"{rank}.safetensors" for rank in (0, 1)]
    with joined_by(SECOND, str(outs[1]), repr(asdict(TOY)), *map(str, targets)):
        record = train_contextual(targets, outs[0], TOY)
    assert record["history"][-1]["cosine"] > record["history"][0]["cosine"]
    assert not outs[1].exists()


SECOND = """
import ast, sys
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.contextual.pipeline import train_contextual
out, settings, *targets = sys.argv[1:]
train_contextual(targets, out, ContextualSettings(**ast.literal_eval(settings)))
"""


def test_a_model_without_what_training_needs_is_refused(
    trained: Path, targets: list[Path], tmp_path: Path
) -> None:
    out, bare = tmp_path / "out.safetensors", tmp_path / "bare.safetensors"
    encoder = load_kind(trained, ContextualEncoder).replace(ngrams=None, ngram_settings=None)
    save_model(bare, *encoder.to_model_file_parts())
    with pytest.raises(PocketIntentError, match="must have n-grams and counts"):
        train_contextual(targets, out, TOY, start=bare)
    assert list(tmp_path.glob("out*")) == []


def _stop() -> None:
    raise KeyboardInterrupt


def test_a_shipped_model_is_adapted_and_keeps_its_background(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    texts = [f"play {first} {second}" for first in ("jazz", "rock", "blues") for second in "abcd"]
    vectors = rng.standard_normal((len(texts), 128)).astype(np.float32)
    write_vectors(tmp_path / "targets.bin", TermVectors(texts, vectors))
    out = tmp_path / "adapted.safetensors"
    settings = ContextualSettings(epochs=2, learning_rate=0.001)
    train_contextual([tmp_path / "targets.bin"], out, settings, start="tiny")
    adapted, tiny = load_encoder(out), load_encoder("tiny")
    assert adapted.background is not None
    assert tiny.background is not None
    ours, theirs = adapted.background.vectors, tiny.background.vectors
    np.testing.assert_array_equal(ours.codes, theirs.codes)
    assert adapted.template_quantizer is not None
    assert (adapted.encode("play jazz a") != tiny.encode("play jazz a")).any()
    with pytest.raises(PocketIntentError, match="no such model file"):
        train_contextual([tmp_path / "targets.bin"], out, settings, start="small")


@pytest.mark.parametrize(
    ("content", "message"),
    [("\n", "no line has text"), ("...\n", "no line has a word that the model knows")],
)
def test_a_corpus_that_cannot_serve_is_found_before_the_training(
    tmp_path: Path, targets: list[Path], content: str, message: str
) -> None:
    corpus, out = tmp_path / "chats.txt", tmp_path / "out.safetensors"
    corpus.write_text(content)
    lines: list[str] = []
    with pytest.raises(PocketIntentError, match=message):
        train_contextual(targets, out, TOY, RunOptions(report=lines.append), corpus=[corpus])
    assert lines == []
