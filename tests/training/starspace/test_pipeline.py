"""From corpus files to a model file, also when the run is killed on the way or done by two."""

import gzip
import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands.settings_files import settings_file
from two_processes import joined_by, status_after

torch = pytest.importorskip("torch")
from pocketintent.cli.main import main  # noqa: E402
from pocketintent.runtime.encoders.registry import load_encoder  # noqa: E402
from pocketintent.runtime.encoders.static import StaticEncoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model  # noqa: E402
from pocketintent.runtime.text.ngrams import ngram_buckets  # noqa: E402
from pocketintent.training.corpora.encoded import load_prepared, prepare_corpus  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.table_training import sum_rows  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent.training.starspace.data import WordBatches  # noqa: E402
from pocketintent.training.starspace.model import StarSpace  # noqa: E402
from pocketintent.training.starspace.pipeline import train_starspace  # noqa: E402
from pocketintent.training.starspace.settings import StarSpaceSettings  # noqa: E402

SMALL = StarSpaceSettings(dim=8, epochs=3, row_length=8, batch_tokens=64, learning_rate=0.1)
FRUIT, METAL = ["apple", "pear", "plum", "cherry"], ["iron", "copper", "zinc", "nickel"]
COMMANDS = {
    "lights": (["lamp", "light", "bulb", "lantern"], ["switch", "turn", "dim"]),
    "music": (["song", "tune", "album", "jazz"], ["play", "hear", "start"]),
    "food": (["pizza", "burger", "soup", "salad"], ["order", "eat", "cook"]),
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Fruit is eaten and metal is melted; no sentence has two fruits."""
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(300):
        if rng.random() < 0.5:
            lines.append(f"i eat a ripe sweet {rng.choice(FRUIT)} from the tree")
        else:
            lines.append(f"we melt some hard cold {rng.choice(METAL)} in this furnace")
    path = tmp_path / "corpus.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


@pytest.fixture
def utterances(tmp_path: Path) -> Path:
    rows = [
        {"text": f"{verb} the {noun} please", "intent": intent}
        for intent, (nouns, verbs) in COMMANDS.items()
        for noun in nouns
        for verb in verbs
    ]
    path = tmp_path / "utterances.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def load_static(path: Path) -> StaticEncoder:
    encoder = load_encoder(path)
    assert isinstance(encoder, StaticEncoder)
    return encoder


def test_a_run_leaves_one_model_file_and_its_record(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    lines: list[str] = []
    training = train_starspace(
        [corpus], out, SMALL, RunOptions(command="the command", report=lines.append)
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [corpus.name, out.name]
    model = load_model(out)
    assert model.manifest["training"] == training
    assert training["command"] == "the command"
    assert training["settings"]["dim"] == 8
    assert training["corpora"][0]["file"] == "corpus.txt.gz"
    assert training["corpora"][0]["bytes"] == corpus.stat().st_size
    assert len(training["loss"]) == 3 and training["loss"][2] < training["loss"][0]
    assert training["words_per_epoch"] == 300 * 8
    encoder = load_static(out)
    assert encoder.dim == 8
    assert len(encoder.vocabulary) == len(FRUIT + METAL) + 16
    words = gzip.decompress(corpus.read_bytes()).decode().split()
    counts = dict(
        zip(encoder.vocabulary.words, model.tensors["vocabulary.counts"].tolist(), strict=True)
    )
    assert counts == {word: words.count(word) for word in words}
    assert any("epoch 3 of 3" in line for line in lines)


def test_words_that_share_contexts_become_similar(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    train_starspace([corpus], out, replace(SMALL, dim=16, epochs=20, margin=0.5, share_sides=False))
    encoder = load_static(out)
    vectors = encoder.encode_batch(FRUIT + METAL)
    cosines = vectors @ vectors.T
    same = np.equal.outer(np.arange(8) < 4, np.arange(8) < 4)
    assert cosines[same].min() > cosines[~same].max() + 0.2


@pytest.mark.parametrize("loss", ["margin", "softmax"])
def test_labelled_mode_puts_utterances_of_an_intent_next_to_each_other(
    utterances: Path, tmp_path: Path, loss: Any
) -> None:
    out = tmp_path / "model.safetensors"
    run = replace(SMALL, mode="labelled", loss=loss, epochs=20, dim=16)
    train_starspace([utterances], out, run)
    encoder = load_static(out)
    rows = [json.loads(line) for line in utterances.read_text().splitlines()]
    vectors = encoder.encode_batch([row["text"] for row in rows])
    intents = np.array([row["intent"] for row in rows])
    centres = np.stack([vectors[intents == name].mean(axis=0) for name in COMMANDS])
    nearest = (vectors @ centres.T).argmax(axis=1)
    assert [list(COMMANDS)[number] for number in nearest] == intents.tolist()


def test_labels_are_for_training_alone(utterances: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    train_starspace([utterances], out, replace(SMALL, mode="labelled", epochs=1))
    model = load_model(out)
    assert "labels" not in model.manifest
    assert not [name for name in model.tensors if name.startswith("labels")]


def test_sentence_mode_learns_from_sentences_split_by_tabs_or_punkt(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    documents = []
    for nouns, verbs in list(COMMANDS.values()) * 30:
        documents.append([f"Please {rng.choice(verbs)} the {rng.choice(nouns)}." for _ in range(3)])
    tabs, paragraphs = tmp_path / "tabs.txt", tmp_path / "paragraphs.txt"
    tabs.write_text("\n".join("\t".join(parts) for parts in documents))
    paragraphs.write_text("\n".join(" ".join(parts) for parts in documents))
    tables = []
    for path, split in ((tabs, "tabs"), (paragraphs, "punkt")):
        out = tmp_path / f"{split}.safetensors"
        run = replace(SMALL, mode="sentence", epochs=5, split=split)
        training = train_starspace([path], out, run)
        assert training["loss"][-1] < 0.5 * training["loss"][0]
        tables.append(load_static(out).words.decode())
    assert np.array_equal(*tables)


def test_ngrams_are_saved_and_embed_unknown_words(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    train_starspace([corpus], out, replace(SMALL, num_buckets=200, min_n=2, max_n=4))
    encoder = load_static(out)
    assert encoder.ngrams is not None and len(encoder.ngrams) == 200
    mean = encoder.ngrams.decode()[ngram_buckets("ripened", 2, 4, 200)].mean(0)
    np.testing.assert_allclose(encoder.embed_tokens(["ripened"])[0], mean, rtol=1e-5, atol=1e-7)


def test_a_seed_gives_one_file_and_another_seed_another(corpus: Path, tmp_path: Path) -> None:
    files = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        out = tmp_path / f"{name}.safetensors"
        train_starspace([corpus], out, replace(SMALL, seed=seed, num_buckets=50, subsample=0.01))
        files.append(out.read_bytes())
    assert files[0] == files[1]
    assert files[0] != files[2]


def options(corpus: Path, out: Path) -> list[str]:
    """The command's arguments that make a run with SMALL's settings."""
    chosen = ["dim", "epochs", "row_length", "batch_tokens", "learning_rate"]
    return [
        *("train", "starspace", "--threads", "1"),
        *("--corpus", str(corpus), "--out", str(out)),
        *settings_file(**{name: getattr(SMALL, name) for name in chosen}),
    ]


def test_a_run_killed_while_it_deletes_its_folder_has_finished(
    corpus: Path, tmp_path: Path, killed_while_deleting: Callable[[Callable[..., Any]], None]
) -> None:
    unbroken, out = tmp_path / "unbroken.safetensors", tmp_path / "out.safetensors"
    record = train_starspace([corpus], unbroken, SMALL)
    killed_while_deleting(lambda: train_starspace([corpus], out, SMALL))
    lines: list[str] = []
    again = train_starspace([corpus], out, SMALL, RunOptions(resume=True, report=lines.append))
    assert again == record
    assert lines == [f"{out} was finished; the rest of its work folder is now deleted"]
    assert out.read_bytes() == unbroken.read_bytes()
    assert not list(tmp_path.glob("*.work*"))


def test_a_restart_drops_the_old_work_folder(corpus: Path, tmp_path: Path) -> None:
    out, folder = tmp_path / "out.safetensors", tmp_path / "out.safetensors.work"
    folder.mkdir()
    (folder / "checkpoint.pt").write_bytes(b"of another run")
    train_starspace([corpus], out, SMALL, RunOptions(restart=True))
    assert len(load_static(out).vocabulary) > 10
    assert not folder.exists()


def test_a_resumed_run_that_never_began_begins(corpus: Path, tmp_path: Path) -> None:
    outs = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for out, resume in zip(outs, (False, True), strict=True):
        train_starspace([corpus], out, SMALL, RunOptions(resume=resume))
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_run_killed_while_it_reads_the_corpus_reads_it_again(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outs = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    train_starspace([corpus], outs[0], SMALL)

    def stop(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pocketintent.training.corpora.encoded.write_atomically", stop)
        with pytest.raises(KeyboardInterrupt):
            train_starspace([corpus], outs[1], SMALL)
    train_starspace([corpus], outs[1], SMALL, RunOptions(resume=True))
    assert outs[0].read_bytes() == outs[1].read_bytes()


def trained_by_pairs(corpus: Path, folder: Path) -> "torch.Tensor":
    """One process that takes the steps of two: each over a pair of batches."""
    folder.mkdir()
    prepare_corpus([corpus], folder, SMALL, report=lambda line: None)
    prepared = load_prepared(folder)
    model = StarSpace(SMALL, prepared.words.words)
    batches = WordBatches(prepared.corpus, prepared.words.counts, SMALL)
    for epoch in range(SMALL.epochs):
        batches.start_epoch(epoch)
        for first in range(0, len(batches), 2):
            pair = [
                model.gradients(batches.batch(number))
                for number in range(first, min(first + 2, len(batches)))
            ]
            rows, values = sum_rows(
                torch.cat([part.rows for part in pair]), torch.cat([part.values for part in pair])
            )
            done = (epoch + first / len(batches)) / SMALL.epochs
            both = replace(pair[0], rows=rows, values=values)
            model.step(both, SMALL.learning_rate * (1 - done))
    return model.word_embeddings()


COMMAND = """
import sys
from pocketintent.cli.main import main
assert main(sys.argv[1:]) == 0
"""


def test_two_processes_take_the_steps_of_one_over_both_batches(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "two.safetensors"
    # The first process writes a checkpoint after every step, the second never does.
    monkeypatch.setitem(Trainer.__init__.__kwdefaults__, "checkpoint_seconds", -1.0)
    with joined_by(COMMAND, *options(corpus, out)):
        assert main(options(corpus, out)) == 0
    expected = trained_by_pairs(corpus, tmp_path / "pairs")
    vectors = load_static(out).words.decode()
    np.testing.assert_allclose(vectors, expected.numpy(), rtol=1e-4, atol=1e-6)


def test_two_processes_end_with_one_good_model_file_and_one_record(
    corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "two.safetensors"
    with joined_by(COMMAND, *options(corpus, out)):
        assert main(options(corpus, out)) == 0
    assert capfd.readouterr().out.count(str(out)) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [corpus.name, out.name]
    training = load_model(out).manifest["training"]
    assert len(training["loss"]) == 3 and training["loss"][2] < training["loss"][0]
    assert load_static(out).encode("a ripe plum").any()


@pytest.mark.parametrize("text", ["", "\n \n", "... !!"])
def test_a_corpus_without_words_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(text)
    with pytest.raises(PocketIntentError, match="no word that occurs 1 times"):
        train_starspace([path], tmp_path / "model.safetensors", SMALL)


def test_input_that_cannot_be_trained_on_is_named(tmp_path: Path, corpus: Path) -> None:
    out = tmp_path / "model.safetensors"
    with pytest.raises(PocketIntentError, match=r"corpus\.txt\.gz has an intent"):
        train_starspace([corpus], out, replace(SMALL, mode="labelled"), RunOptions(restart=True))
    with pytest.raises(PocketIntentError, match=r"none\.txt: cannot be read"):
        train_starspace([tmp_path / "none.txt"], out, SMALL, RunOptions(restart=True))
    with pytest.raises(PocketIntentError, match="dim must be at least 1"):
        train_starspace([corpus], out, replace(SMALL, dim=0), RunOptions(restart=True))
    single = tmp_path / "single.txt"
    single.write_text("one\ntwo\nthree")
    with pytest.raises(PocketIntentError, match="no sentence of two known words"):
        train_starspace([single], out, SMALL, RunOptions(restart=True))
    assert not out.exists()


def test_a_run_that_fails_before_training_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    corpus, out = tmp_path / "corpus.txt", tmp_path / "model.safetensors"
    corpus.write_text("\n")
    with pytest.raises(PocketIntentError, match="no word"):
        train_starspace([corpus], out, StarSpaceSettings(dim=4, epochs=1))
    assert not Path(f"{out}.work").exists()
    corpus.write_text("play the song\nstop the song\n")
    train_starspace([corpus], out, StarSpaceSettings(dim=4, epochs=1))
    assert out.exists()


KILL_AT_STEP = """
import os, signal, sys
from pocketintent.cli.main import main
from pocketintent.training.loop.trainer import Trainer
steps, take_step = iter(range(10**9)), Trainer._step
def step_or_die(trainer):
    if next(steps) == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    return take_step(trainer)
Trainer._step = step_or_die
main(sys.argv[2:])
"""


# The last test here, because the tests after it need another second process.
def test_a_killed_run_is_refused_resumed_to_the_same_model_or_restarted(
    corpus: Path, tmp_path: Path
) -> None:
    unbroken, out = tmp_path / "unbroken.safetensors", tmp_path / "out.safetensors"
    train_starspace([corpus], unbroken, SMALL)
    folder = tmp_path / "out.safetensors.work"
    assert status_after(KILL_AT_STEP, "60", *options(corpus, out)) == -signal.SIGKILL
    assert (folder / "checkpoint.pt").exists()
    assert not out.exists()

    with pytest.raises(PocketIntentError, match="--resume continues it, --restart discards it"):
        train_starspace([corpus], out, SMALL)
    with pytest.raises(PocketIntentError, match=r"made with other settings \(seed\); repeat"):
        train_starspace([corpus], out, replace(SMALL, seed=1), RunOptions(resume=True))
    other = tmp_path / "other.txt"
    other.write_text("another corpus altogether")
    with pytest.raises(PocketIntentError, match="made with other input files; repeat"):
        train_starspace([other], out, SMALL, RunOptions(resume=True))
    assert (folder / "checkpoint.pt").exists()

    lines: list[str] = []
    train_starspace([corpus], out, SMALL, RunOptions(resume=True, report=lines.append))
    assert "resuming after 1 of 3 epochs" in lines
    assert not any("counting words" in line for line in lines)
    assert out.read_bytes() == unbroken.read_bytes()
    assert not folder.exists()
