import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gensim")
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.loop.run import RunOptions
from pocketintent.training.vectors.reading import read_vectors
from pocketintent_lab.training.words import pipeline as word_vectors
from pocketintent_lab.training.words.model import new_model
from pocketintent_lab.training.words.pipeline import train_words
from pocketintent_lab.training.words.settings import WordSettings

QUICK = WordSettings(dim=8, epochs=3, min_count=1, num_buckets=64)
METHODS = ["word2vec", "fasttext"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups of words that only occur among themselves."""
    rng = random.Random(0)
    groups = ["red green blue pink grey", "cat dog cow hen naïve"]
    lines = [" ".join(rng.choices(groups[number % 2].split(), k=8)) for number in range(300)]
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("loss", ["negative", "hierarchical"])
@pytest.mark.parametrize("architecture", ["cbow", "skipgram"])
def test_words_with_the_same_contexts_become_similar(
    corpus: Path, tmp_path: Path, architecture: Any, loss: Any
) -> None:
    out = tmp_path / "v.safetensors"
    settings = replace(QUICK, epochs=20, subsample=0, architecture=architecture, loss=loss)
    train_words([corpus], out, settings)
    encoder = load_encoder(out)
    near = encoder.encode("red") @ encoder.encode("green")
    far = encoder.encode("red") @ encoder.encode("cat")
    assert near > far + 0.3


@pytest.mark.parametrize("method", METHODS)
def test_the_file_records_its_training(corpus: Path, tmp_path: Path, method: Any) -> None:
    out = tmp_path / "v.safetensors"
    lines: list[str] = []
    record = train_words(
        [corpus],
        out,
        replace(QUICK, method=method, max_words=7),
        RunOptions(command="pocketintent-lab train words", report=lines.append),
    )
    model = load_model(out)
    assert model.manifest["training"] == record
    assert record["method"] == method
    assert record["corpora"][0]["file"] == "corpus.txt"
    assert str(corpus.parent) not in str(model.manifest)
    assert (record["vocabulary"], record["words_per_epoch"]) == (7, 2400)
    counts = model.tensors["vocabulary.counts"].tolist()
    assert counts == sorted(counts, reverse=True)
    assert len([line for line in lines if line.startswith("epoch ")]) == 3
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.parametrize("method", METHODS)
def test_every_format_has_the_same_vectors(corpus: Path, tmp_path: Path, method: Any) -> None:
    settings = replace(QUICK, method=method)
    read = []
    for name in ("v.safetensors", "v.txt", "v.bin"):
        train_words([corpus], tmp_path / name, settings)
        read.append(read_vectors(tmp_path / name))
    assert read[0].terms == read[1].terms == read[2].terms
    assert "naïve" in read[0].terms
    assert read[0].vectors.tobytes() == read[1].vectors.tobytes() == read[2].vectors.tobytes()


def test_unknown_words_get_vectors_from_the_ngrams_of_fasttext(
    corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "v.safetensors"
    train_words([corpus], out, replace(QUICK, method="fasttext", epochs=10))
    encoder = load_encoder(out)
    assert isinstance(encoder, StaticEncoder)
    assert encoder.ngrams is not None
    assert encoder.encode("reddish") @ encoder.encode("red") > 0.1
    # A word is the mean of its row and its n-grams' rows, by the runtime's hash. Its row is short
    # beside the mean of many n-grams, so both vectors have nearly the same direction.
    for word in ("green", "naïve"):
        (unknown,) = encoder._embed_ngrams([word])
        vector = encoder.embed_tokens([word])[0]
        assert vector @ unknown > 0.8 * np.linalg.norm(vector) * np.linalg.norm(unknown)


@pytest.mark.parametrize("loss", ["negative", "hierarchical"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("epoch", [1, 3])
def test_a_stopped_and_resumed_run_gives_the_result_of_an_unbroken_run(
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: Any,
    epoch: int,
    loss: Any,
) -> None:
    settings = replace(QUICK, method=method, loss=loss)
    whole, broken = tmp_path / "whole.bin", tmp_path / "broken.bin"
    train_words([corpus], whole, settings)

    def stop(line: str) -> None:
        if line.startswith(f"epoch {epoch + 1} "):
            raise KeyboardInterrupt

    if epoch < settings.epochs:
        with pytest.raises(KeyboardInterrupt):
            train_words([corpus], broken, settings, RunOptions(report=stop))
    else:
        with monkeypatch.context() as patch:
            patch.setattr(word_vectors, "_save", lambda *_: exec("raise KeyboardInterrupt"))
            with pytest.raises(KeyboardInterrupt):
                train_words([corpus], broken, settings)
    with pytest.raises(PocketIntentError, match="holds an unfinished run"):
        train_words([corpus], broken, settings)
    with pytest.raises(PocketIntentError, match="made with other settings"):
        train_words([corpus], broken, replace(settings, seed=1), RunOptions(resume=True))
    lines: list[str] = []
    train_words([corpus], broken, settings, RunOptions(resume=True, report=lines.append))
    assert f"resuming after {epoch} of 3 epochs" in lines
    assert broken.read_bytes() == whole.read_bytes()


def test_a_run_killed_while_it_deletes_its_folder_has_finished(
    corpus: Path, tmp_path: Path, killed_while_deleting: Callable[[Callable[..., Any]], None]
) -> None:
    unbroken, out = tmp_path / "unbroken.safetensors", tmp_path / "out.safetensors"
    record = train_words([corpus], unbroken, QUICK)
    killed_while_deleting(lambda: train_words([corpus], out, QUICK))
    lines: list[str] = []
    again = train_words([corpus], out, QUICK, RunOptions(resume=True, report=lines.append))
    assert again == record
    assert lines == [f"{out} was finished; the rest of its work folder is now deleted"]
    assert out.read_bytes() == unbroken.read_bytes()
    assert not list(tmp_path.glob("*.work*"))


def test_one_seed_gives_one_result_in_every_process(corpus: Path, tmp_path: Path) -> None:
    settings = "WordSettings(method='fasttext', dim=8, epochs=1, min_count=1, num_buckets=64)"
    script = (
        f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}\n"
        "from pocketintent_lab.training.words.pipeline import WordSettings, train_words\n"
        f"train_words([{str(corpus)!r}], sys.argv[1], {settings})"
    )
    there, here = tmp_path / "there.bin", tmp_path / "here.bin"
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    subprocess.run(
        [sys.executable, "-c", script, str(there)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
    )
    quick = replace(QUICK, method="fasttext", epochs=1)
    train_words([corpus], here, quick)
    assert there.read_bytes() == here.read_bytes()
    train_words([corpus], here, replace(quick, seed=1))
    assert there.read_bytes() != here.read_bytes()


def test_hierarchical_softmax_needs_no_negatives(corpus: Path, tmp_path: Path) -> None:
    hierarchical = replace(QUICK, architecture="skipgram", loss="hierarchical")
    for name, settings in (
        ("a.bin", hierarchical),
        ("b.bin", replace(hierarchical, negatives=9)),
        ("c.bin", replace(hierarchical, loss="negative")),
    ):
        train_words([corpus], tmp_path / name, settings)
    files = [(tmp_path / name).read_bytes() for name in ("a.bin", "b.bin", "c.bin")]
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("method", METHODS)
def test_negatives_are_drawn_by_a_power_of_their_count(method: Any) -> None:
    words = CountedVocabulary(["a", "b", "c", "d"], np.array([90, 90, 10, 10]))
    shares = []
    for power in (0.0, 1.0):
        settings = replace(QUICK, method=method, negative_power=power)
        table = new_model(words, settings).cum_table
        shares.append(np.diff(table, prepend=0) / table[-1])
    np.testing.assert_allclose(shares, [[0.25] * 4, [0.45, 0.45, 0.05, 0.05]], atol=1e-6)


def test_terms_are_joined_to_one_token(tmp_path: Path) -> None:
    corpus, terms = tmp_path / "corpus.txt", tmp_path / "terms.tsv"
    corpus.write_text("Machine learning is fun.\tLearning a machine\nDeep machine learning!\n" * 5)
    terms.write_text("term\tscore\tcount\nmachine learning\t0.9\t10\n")
    out = tmp_path / "v.txt"
    record = train_words([corpus], out, QUICK, terms=terms)
    assert record["terms"]["file"] == "terms.tsv"
    expected = {"machine_learning", "machine", "learning", "is", "fun", "a", "deep"}
    assert set(read_vectors(out).terms) == expected


def test_a_tab_ends_a_sentence(tmp_path: Path) -> None:
    tabs, lines = tmp_path / "tabs.txt", tmp_path / "lines.txt"
    tabs.write_text("a b c\td e f\n" * 20)
    lines.write_text("a b c\nd e f\n" * 20)
    for path in (tabs, lines):
        train_words([path], path.with_suffix(".bin"), QUICK)
    assert tabs.with_suffix(".bin").read_bytes() == lines.with_suffix(".bin").read_bytes()


BAD = [
    ({"dim": 0}, "dim must be at least 1"),
    ({"max_words": 0}, "max_words must be at least 1"),
    ({"method": "glove"}, "method must be one of word2vec, fasttext"),
    ({"loss": "softmax"}, "loss must be one of negative, hierarchical"),
    ({"min_learning_rate": 0.0}, "min_learning_rate must be above 0"),
    ({"learning_rate": float("nan")}, "learning_rate must be a finite number"),
    ({"learning_rate": 1e30}, "learning_rate must be above 0 and at most 10"),
    ({"negative_power": 2.0}, "negative_power must be at least -1 and at most 1"),
    ({"subsample": -1.0}, "subsample must be at least 0"),
    ({"seed": -1}, "seed must be at least 0 and below 4294967296"),
    ({"min_n": 5, "max_n": 4}, "min_n must be at least 1 and at most max_n"),
    ({"min_count": 10_000}, "no word that occurs 10000 times"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=str)
def test_bad_settings_leave_nothing_behind(
    corpus: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        train_words([corpus], tmp_path / "v.bin", replace(QUICK, **changes))
    assert not list(tmp_path.iterdir())
