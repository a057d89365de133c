import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from two_processes import joined_by

torch = pytest.importorskip("torch")
from pocketintent.runtime.encoders.registry import load_kind  # noqa: E402
from pocketintent.runtime.encoders.static import StaticEncoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model, save_model  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent_export.kinds.registry import export_of  # noqa: E402
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder  # noqa: E402
from pocketintent_lab.training.infersent.pipeline import train_infersent  # noqa: E402
from pocketintent_lab.training.infersent.settings import InferSentSettings  # noqa: E402

TOY = InferSentSettings(
    hidden=12, mlp=16, epochs=5, batch_size=8, validation=0.2, optimizer="adam", learning_rate=0.02
)
VERBS, NOUNS = ("play", "stop", "find", "skip"), ("song", "film", "news", "list")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Word vectors, labelled pairs (the same verb in both) and scored pairs (as graded)."""
    folder = tmp_path_factory.mktemp("pairs")
    words = [*VERBS, *NOUNS, "the", "please"]
    vectors = np.random.default_rng(0).normal(size=(len(words), 6)).round(3)
    (folder / "words.tsv").write_text(
        "".join("\t".join([w, *map(str, v)]) + "\n" for w, v in zip(words, vectors, strict=True))
    )
    texts = [f"{verb} the {noun}" for verb in VERBS for noun in NOUNS]
    labelled, scored = [], []
    for a in texts:
        for b in texts:
            same = a.split()[0] == b.split()[0]
            labelled.append({"a": a, "b": f"please {b}", "same": same})
            scored.append({"a": a, "b": b, "score": 3.5 * same + 1.5 * (a[-4:] == b[-4:])})
    rng = np.random.default_rng(1)
    for name, rows in (("labelled", labelled), ("scored", scored)):
        chosen = [rows[row] for row in rng.permutation(len(rows))[:120]]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in chosen))
    return folder


def inputs(folder: Path) -> tuple[list[Path], Path]:
    return [folder / "labelled.jsonl", folder / "scored.jsonl"], folder / "words.tsv"


@pytest.fixture(scope="module")
def trained(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "model.safetensors"
    train_infersent(*inputs(folder), out, TOY)
    return out


def test_both_questions_are_learnt(trained: Path) -> None:
    training = load_model(trained).manifest["training"]
    first, best = training["history"][0], training["history"][training["best_epoch"] - 1]
    assert best["loss"] < first["loss"]
    assert best["validation"]["score"] > 0.9
    assert best["validation"]["same"] > 0.9
    assert training["classes"] == {
        "same": ["false", "true"],
        "score": ["0", "1", "2", "3", "4", "5"],
    }
    encoder = load_kind(trained, InferSentEncoder)
    a, same, other = encoder.encode_batch(["play the song", "play the news", "stop the news"])
    assert a @ same > a @ other


def test_the_model_is_int8_and_has_all_words_of_the_table(trained: Path, folder: Path) -> None:
    encoder = load_kind(trained, InferSentEncoder)
    assert len(encoder.vocabulary) == 10
    assert encoder.network.format == "int8"
    export_of(encoder).check("model")
    vectors = encoder.table.words.decode()
    lines = (folder / "words.tsv").read_text().splitlines()
    exact = np.array([[float(x) for x in line.split("\t")[1:]] for line in lines])
    steps = np.abs(exact).max(axis=1, keepdims=True) / 127
    assert (np.abs(vectors - exact) <= 0.51 * steps).all()


def test_the_record_is_the_training_entry_of_the_manifest(folder: Path, tmp_path: Path) -> None:
    out, lines = tmp_path / "model.safetensors", []
    settings = replace(TOY, epochs=1)
    options = RunOptions(report=lines.append, languages=["en"])
    corpus = tmp_path / "chats.txt"
    corpus.write_text("play the song please\nstop the news\n" * 20)
    (folder / "foreign.txt").write_text("zzqx qqzx\n")
    with pytest.raises(PocketIntentError, match=r"foreign\.txt: no line has a word"):
        train_infersent(*inputs(folder), out, settings, options, corpus=[folder / "foreign.txt"])
    assert not lines
    record = train_infersent(*inputs(folder), out, settings, options, corpus=[corpus])
    manifest = load_model(out).manifest
    added = {"seconds", "weights", "bytes"}
    assert manifest["training"] == {k: v for k, v in record.items() if k not in added}
    assert record["bytes"] == out.stat().st_size
    assert record["num_pairs"] == {
        "training": 192,
        "validation": 48,
        "left_out": 0,
        "unlabelled": 0,
    }
    assert manifest["languages"] == ["en"]
    assert record["settings"] == asdict(settings)
    assert "192 pairs to learn, 48 held out" in lines[0]
    assert "validation same" in lines[1] and "score" in lines[1]
    encoder = load_kind(out, InferSentEncoder)
    assert encoder.background is not None and encoder.template_quantizer is not None


def test_a_resumed_run_gives_the_file_of_an_unbroken_run(
    trained: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, train = tmp_path / "model.safetensors", Trainer.train
    settings = replace(TOY, dropout=0.1, epochs=4)
    whole = tmp_path / "whole.safetensors"
    train_infersent(*inputs(folder), whole, settings)
    with monkeypatch.context() as stopped:
        stopped.setattr(Trainer, "train", lambda self: (train(self, 37), _stop()))
        with pytest.raises(KeyboardInterrupt):
            train_infersent(*inputs(folder), out, settings)
    with pytest.raises(PocketIntentError, match="--resume continues it"):
        train_infersent(*inputs(folder), out, settings)
    with pytest.raises(PocketIntentError, match="made with other settings"):
        other = replace(settings, seed=9)
        train_infersent(*inputs(folder), out, other, RunOptions(resume=True))
    with monkeypatch.context() as patch:
        # As on a GPU: a CPU has one precision for recurrent layers.
        name = "pocketintent_lab.training.infersent.pipeline.choose_precision"
        patch.setattr(name, lambda *args, **options: torch.float16)
        with pytest.raises(PocketIntentError, match=r"made with other settings \(precision\)"):
            train_infersent(*inputs(folder), out, settings, RunOptions(resume=True))
    train_infersent(*inputs(folder), out, settings, RunOptions(resume=True))
    assert out.read_bytes() == whole.read_bytes()


def test_two_processes_train_one_model(folder: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"{rank}.safetensors" for rank in (0, 1)]
    paths, words = inputs(folder)
    settings = replace(TOY, epochs=2)
    with joined_by(SECOND, str(outs[1]), repr(asdict(settings)), str(words), *map(str, paths)):
        record = train_infersent(paths, words, outs[0], settings)
    assert record["history"][-1]["loss"] < record["history"][0]["loss"]
    assert not outs[1].exists()


SECOND = """
import ast, sys
from pocketintent_lab.training.infersent.settings import InferSentSettings
from pocketintent_lab.training.infersent.pipeline import train_infersent
out, settings, words, *paths = sys.argv[1:]
train_infersent(paths, words, out, InferSentSettings(**ast.literal_eval(settings)))
"""


def test_the_learning_rate_shrinks_where_validation_does_not_rise(
    folder: Path, tmp_path: Path
) -> None:
    settings = replace(TOY, learning_rate=1e-9, min_learning_rate=1e-12, epochs=8)
    record = train_infersent(*inputs(folder), tmp_path / "model.safetensors", settings)
    rates = [entry["learning_rate"] for entry in record["history"]]
    figures = [sum(entry["validation"].values()) for entry in record["history"]]
    best = figures[0]
    for number in range(1, len(rates)):
        rises = number > 1 and figures[number - 1] > best
        expected = rates[number - 1] * (1 if number == 1 or rises else 0.2) * 0.99
        assert rates[number] == pytest.approx(expected)
        best = max(best, figures[number - 1])
    assert len(rates) < 8


def test_a_static_model_keeps_its_tokenizer_and_ngrams(
    compressed_model: Path, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "model.safetensors"
    pairs = folder / "labelled.jsonl"
    words = load_kind(compressed_model, StaticEncoder)
    model = tmp_path / "words.safetensors"
    tagged = words.replace(manifest={"training": {"method": "starspace"}, "languages": ["en"]})
    save_model(model, *tagged.to_model_file_parts())
    train_infersent([pairs], model, out, replace(TOY, epochs=1))
    encoder = load_kind(out, InferSentEncoder)
    assert encoder.table.ngrams is not None
    assert encoder.tokenizer_spec == words.tokenizer_spec
    tensors, own = load_model(out).tensors, load_model(model).tensors
    np.testing.assert_array_equal(tensors["words.codes"], own["words.codes"])
    manifest = load_model(out).manifest
    assert manifest["training"]["words"] == {"method": "starspace"}
    assert manifest["languages"] == ["en"]


def test_floats_are_kept_for_compression(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    train_infersent(*inputs(folder), out, replace(TOY, epochs=1), weights="float32")
    encoder = load_kind(out, InferSentEncoder)
    assert encoder.network.format == "float32"
    with pytest.raises(PocketIntentError, match="the model is not compressed"):
        export_of(encoder).check("model")


def test_a_file_held_out_replaces_the_share(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    pairs, held_out = folder / "labelled.jsonl", folder / "scored.jsonl"
    with pytest.raises(PocketIntentError, match=r"scored\.jsonl, line 1: a pair with a score"):
        train_infersent([pairs], folder / "words.tsv", out, TOY, validation_pairs=[held_out])
    record = train_infersent(
        [pairs], folder / "words.tsv", out, replace(TOY, epochs=1), validation_pairs=[pairs]
    )
    assert record["num_pairs"]["training"] == record["num_pairs"]["validation"] == 120
    assert [entry["file"] for entry in record["validation"]] == ["labelled.jsonl"]


def _stop() -> None:
    raise KeyboardInterrupt
