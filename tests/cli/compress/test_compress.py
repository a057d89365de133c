from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from commands.compress_calls import NOUNS, SMALL, VERBS, call, read
from commands.settings_files import settings_file
from models.lamp_tables import DIM
from models.random_transformers import PIECES, piece_table, random_transformer
from pocketintent import IntentRecognizer
from pocketintent.compression import pipeline
from pocketintent.compression.prune import keep_frequent
from pocketintent.compression.quantise import quantise_encoder
from pocketintent.runtime.decision.registry import DECISIONS
from pocketintent.runtime.encoders.registry import load_encoder, load_kind
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.runtime.quantization.matrices import QuantizedMatrix


def tensors_of(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    return {name: np.array(tensor) for name, tensor in load_model(path).tensors.items()}


def test_the_report_gives_sizes_and_the_model_loads(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "small.safetensors"
    assert call("compress", model, "--out", out, "--keep", 16, *SMALL) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert report["words"] == {"before": 24, "after": 16}
    assert report["bytes"]["file"] == out.stat().st_size
    assert report["float32_bytes"] == 16 * 12 * 4
    assert "quality" not in report
    assert "fit words: 4/4" in printed.err
    encoder = load_encoder(out)
    assert isinstance(encoder, StaticEncoder)
    assert encoder.vocabulary.words == NOUNS + VERBS
    assert load_model(out).manifest["compression"]["keep"] == 16


def test_counts_are_kept_in_a_byte_each_and_change_no_code(model: Path, tmp_path: Path) -> None:
    small, plain = tmp_path / "small.safetensors", tmp_path / "plain.safetensors"
    call("compress", model, "--out", small, "--keep", 16, *SMALL)
    pruned = keep_frequent(read(model), 16)
    quantised = quantise_encoder(pruned, sub_dim=3, codebook_size=8)
    manifest, tensors = quantised.replace(counts=None).to_model_file_parts()
    save_model(plain, manifest, tensors)
    kept = tensors_of(small)
    counts = kept.pop("vocabulary.counts")
    assert counts.dtype == np.uint8
    assert kept.keys() == tensors.keys()
    for name, tensor in tensors_of(plain).items():
        assert kept[name].tobytes() == tensor.tobytes()
    loaded = read(small).counts
    assert loaded is not None and loaded.dtype == np.uint32
    np.testing.assert_allclose(loaded, [50] * 8 + [40] * 8, rtol=0.07)


def test_quality_is_reported_before_pruned_and_after(
    model: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = data / "small.safetensors"
    probe = ("--sts", data / "sts.jsonl", "--intents", data / "commands", "--shots", "2,4")
    assert call("compress", model, "--out", out, "--keep", 16, *SMALL, *probe) == 0
    quality = json.loads(capsys.readouterr().out)["quality"]
    for stage in ("before", "pruned", "after"):
        assert 0 < quality[stage]["sts"]["pearson"] <= 1
        accuracy = quality[stage]["intents"]["commands"]["accuracy"]
        assert accuracy.keys() == {"2", "4"}
        assert accuracy["2"].keys() == set(DECISIONS)
    lost = quality["lost_by_quantisation"]["sts"]["pearson"]
    pruned, after = quality["pruned"]["sts"]["pearson"], quality["after"]["sts"]["pearson"]
    assert lost == pytest.approx(pruned - after)
    assert load_model(out).manifest["quality"] == quality["after"]


def test_pruning_by_norm_covers_the_corpus_and_a_template_codebook_is_fitted(
    model: Path, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "small.safetensors"
    pruning = ("--keep", 12, "--prune", "norm", "--corpus", corpus)
    assert call("compress", model, "--out", out, *pruning, *SMALL) == 0
    encoder = load_encoder(out)
    assert isinstance(encoder, StaticEncoder)
    assert len(encoder.vocabulary) == 12
    assert encoder.encode_batch(corpus.read_text().splitlines()).any(axis=1).all()
    assert encoder.template_quantizer is not None
    assert encoder.template_quantizer.dim == 12


def test_matrix_products_use_no_more_threads_than_the_option_says(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[int] = set()

    def watched(*args: Any, **settings: Any) -> StaticEncoder:
        seen.update(pool["num_threads"] for pool in threadpool_info())
        return quantise_encoder(*args, **settings)

    monkeypatch.setattr(pipeline, "quantise_encoder", watched)
    with threadpool_limits(2):
        assert call("compress", model, "--out", tmp_path / "small.safetensors", *SMALL) == 0
    assert seen <= {1}


def test_variants_are_chosen_by_a_file(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.safetensors"
    options = settings_file(per_position=False, normalised=False, rotate=False)
    assert call("compress", model, "--out", out, *SMALL, *options) == 0
    assert load_model(out).manifest["compression"]["rotate"] is False
    settings = load_model(out).manifest["words"]
    assert (settings["per_position"], settings["normalised"]) == (False, False)


def test_one_seed_gives_one_file(model: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"{number}.safetensors" for number in range(2)]
    for out in outs:
        call("compress", model, "--out", out, *SMALL, "--seed", 3)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_model_can_be_replaced_by_its_compressed_version(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = model.stat().st_size
    assert call("compress", model, "--out", model, *SMALL) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["bytes_before"]["file"] == before
    assert report["bytes"]["file"] == model.stat().st_size


def test_without_counts_the_order_of_the_words_decides(model: Path, tmp_path: Path) -> None:
    encoder = load_encoder(model)
    assert isinstance(encoder, StaticEncoder)
    save_model(model, *encoder.replace(counts=None).to_model_file_parts())
    out = tmp_path / "small.safetensors"
    assert call("compress", model, "--out", out, "--keep", 8, *SMALL) == 0
    small = load_encoder(out)
    assert isinstance(small, StaticEncoder)
    assert small.vocabulary.words == [f"rare{letter}" for letter in "abcdefgh"]


def test_ngrams_are_left_out_on_demand(
    compressed: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "words.safetensors"
    capsys.readouterr()
    assert call("compress", model, "--out", out, "--no-ngrams", *SMALL) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["bytes_before"]["ngrams"] > 0
    assert report["bytes"]["ngrams"] == 0
    assert report["codes_kept"] is False
    assert report["settings"]["ngrams"] is False
    assert read(out).ngrams is None
    assert not read(out).encode("unheard").any()
    assert read(compressed).encode("unheard").any()


@pytest.mark.parametrize("no_ngrams", [False, True])
def test_codes_of_a_compressed_model_stay_bit_for_bit(
    compressed: Path, tmp_path: Path, no_ngrams: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "smaller.safetensors"
    capsys.readouterr()
    options = ["--no-ngrams"] if no_ngrams else []
    assert call("compress", compressed, "--out", out, "--keep", 11, *options) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["codes_kept"] is True
    assert json.loads(printed.out)["words"] == {"before": 20, "after": 11}
    assert "its codes are left unchanged" in printed.err
    frequent = slice(4, 15)  # after the rare words, which come first
    assert read(out).vocabulary.words == read(compressed).vocabulary.words[frequent]
    old, new = read(compressed).words, read(out).words
    assert isinstance(old, QuantizedMatrix)
    assert isinstance(new, QuantizedMatrix)
    np.testing.assert_array_equal(new.codes, old.codes[frequent])
    before, after = tensors_of(compressed), tensors_of(out)
    np.testing.assert_array_equal(after["words.norms"], before["words.norms"][frequent])
    counts = before["vocabulary.counts"][frequent]
    np.testing.assert_array_equal(after["vocabulary.counts"], counts)
    unchanged = {"words.codebook", "templates.codebook"}
    for name in unchanged | {
        name for name in before if name.startswith("ngrams.") and not no_ngrams
    }:
        assert after[name].tobytes() == before[name].tobytes()
    assert any(name.startswith("ngrams.") for name in after) is not no_ngrams


def test_the_manifest_of_a_pruned_compressed_model_records_how_it_was_made(
    compressed: Path, data: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    call("compress", compressed, "--out", first, "--no-ngrams")
    settings = load_model(first).manifest["compression"]
    assert settings == {**load_model(compressed).manifest["compression"], "ngrams": False}
    assert settings["keep"] == 20
    assert "quality" not in load_model(first).manifest
    call("compress", first, "--out", second, "--keep", 12, "--sts", data / "sts.jsonl")
    assert load_model(second).manifest["compression"] == {**settings, "keep": 12}
    assert load_model(second).manifest["quality"].keys() == {"sts"}


def test_keeping_all_words_and_ngrams_of_a_compressed_model_changes_nothing(
    compressed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "same.safetensors"
    call("compress", compressed, "--out", out, "--keep", 99)
    before, after = tensors_of(compressed), tensors_of(out)
    assert {k: v.tobytes() for k, v in before.items()} == {k: v.tobytes() for k, v in after.items()}


@pytest.mark.parametrize(
    "option", [("--sub-dim", 4), ("--codebook-size", 4), settings_file(rotate=False)]
)
def test_an_option_of_quantisation_quantises_a_compressed_model_again(
    compressed: Path, tmp_path: Path, option: tuple[Any, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "again.safetensors"
    capsys.readouterr()
    assert call("compress", compressed, "--out", out, "--keep", 11, *option) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["codes_kept"] is False
    words = load_model(out).manifest["words"]
    values = dict([option])
    assert words["sub_dim"] == values.get("--sub-dim", 3)  # that of the model
    assert words["codebook_size"] == values.get("--codebook-size", 128)
    assert report["settings"]["rotate"] is (option[0] != "--settings")


@pytest.mark.parametrize("option", ["rotate", "--corpus", None])
def test_a_note_says_which_parts_do_not_fit_the_new_codes(
    compressed: Path,
    corpus: Path,
    tmp_path: Path,
    option: str | None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "again.safetensors"
    options = {
        "rotate": settings_file(rotate=False),
        "--corpus": ["--corpus", corpus],
        None: [],
    }[option]
    assert call("compress", compressed, "--out", out, "--sub-dim", 4, *options) == 0
    again, noted = read(out), "left out" in capsys.readouterr().err
    assert noted is (again.background is None) is (again.template_quantizer is None)
    assert noted is (option is None)


def test_a_compressed_model_is_refused_without_an_option_that_changes_it(
    compressed: Path, tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match="already quantised, and no option changes it"):
        call("compress", compressed, "--out", tmp_path / "x.safetensors")
    assert not (tmp_path / "x.safetensors").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prune", "norm", "--keep", 3], "--prune norm requires --keep and --corpus"),
        (["--keep", 3, "--shots", 5], "--shots requires --intents"),
        (["--keep", 3, "--split", "valid"], "--split requires --intents"),
        (["--count-power", 1], "write `count_power = …` into FILE.toml"),
        (["--no-rotate"], "write `rotate = false` into FILE.toml"),
        (["--shared-codebook"], "write `per_position = false` into FILE.toml"),
    ],
)
def test_options_that_do_not_fit_are_bad_usage(
    model: Path,
    tmp_path: Path,
    options: list[Any],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="2"):
        call("compress", model, "--out", tmp_path / "x.safetensors", *options)
    assert message in capsys.readouterr().err


def test_counts_that_do_not_fit_the_vocabulary_are_refused(model: Path, tmp_path: Path) -> None:
    content = load_model(model)
    tensors = dict(content.tensors) | {"vocabulary.counts": np.ones(3, dtype=np.uint32)}
    save_model(model, content.manifest, tensors)
    with pytest.raises(PocketIntentError, match=r"vocabulary\.counts must be 24 whole numbers"):
        call("compress", model, "--out", tmp_path / "x.safetensors")


def test_the_file_to_write_ends_as_model_files_do(
    model: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        call("compress", model, "--keep", 9, "--out", corpus)
    assert f"{corpus}: the name of a model file ends in .safetensors" in capsys.readouterr().err
    assert corpus.read_text().startswith("play lamp")


def test_a_bot_file_is_not_compressed(bot: Path) -> None:
    content = bot.read_bytes()
    with pytest.raises(PocketIntentError, match="is a bot file"):
        call("compress", bot, "--out", bot, "--keep", 9)
    assert bot.read_bytes() == content


@pytest.fixture
def transformer(tmp_path: Path) -> Path:
    """A transformer of floats, whose rarest entries are single letters inside words."""
    table = piece_table().replace(counts=np.arange(len(PIECES), 0, -1))
    network = random_transformer(DIM, np.random.default_rng(2))
    path = tmp_path / "transformer.safetensors"
    save_model(path, *TransformerEncoder(table, network).to_model_file_parts())
    return path


def test_a_transformer_is_pruned_and_quantised_with_its_network(
    transformer: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, corpus = tmp_path / "small.safetensors", tmp_path / "chats.txt"
    texts = [f"{verb} the {noun}s" for verb in ("turn", "play", "close") for noun in PIECES[3:12]]
    corpus.write_text("\n".join(texts))
    sizes = ("--keep", 60, "--sub-dim", 2, "--codebook-size", 32)
    assert call("compress", transformer, "--out", out, *sizes, "--corpus", corpus) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["words"] == {"before": len(PIECES), "after": 60}
    assert report["settings"]["rotate"] is False
    codes = sum(t.nbytes for name, t in tensors_of(out).items() if name.endswith("weight.codes"))
    assert codes < report["bytes"]["network"] < report["bytes_before"]["network"]

    before, small = load_kind(transformer, TransformerEncoder), load_kind(out, TransformerEncoder)
    assert small.network.format == "codebook"
    assert isinstance(small.table.words, QuantizedMatrix)
    assert small.background is not None and small.template_quantizer is not None
    assert small.tokenize("lightsing") == before.tokenize("lightsing") == ["lights", "##ing"]
    assert (small.encode_batch(texts) * before.encode_batch(texts)).sum(axis=1).min() > 0.9
    assert "##w" in before.vocabulary and "##w" not in small.vocabulary
    recognizer = IntentRecognizer.load({"on": ["turn on the lamp"], "play": ["play jazz"]}, out)
    assert recognizer.match("trun on the lamp").nearest == "on"


def test_the_codes_of_a_transformer_stay_when_words_are_left_out(
    transformer: Path, tmp_path: Path
) -> None:
    once, twice = tmp_path / "once.safetensors", tmp_path / "twice.safetensors"
    call("compress", transformer, "--out", once, "--sub-dim", 2, "--codebook-size", 32)
    assert call("compress", once, "--out", twice, "--keep", 50) == 0
    old, new = tensors_of(once), tensors_of(twice)
    assert any(name.startswith("network.") for name in old)
    for name in old:
        if name.startswith(("network.", "words.codebook")):
            np.testing.assert_array_equal(new[name], old[name])


def test_a_sub_dim_that_would_pad_the_words_of_a_transformer_is_refused(
    transformer: Path, tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match=r"must divide the 8 dimensions .* 1, 2, 4, 8$"):
        call("compress", transformer, "--out", tmp_path / "small.safetensors", *SMALL)
