"""A short run of ``benchmarks.robustness.damaged_files``, and models that once were not refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.robustness.damaged_files import CHECKS, FORMATS, check_folder, check_scores, run
from benchmarks.robustness.hostile_files.folders import Folders
from benchmarks.robustness.hostile_files.models import Parts, seal, tiny_models
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import load_model


@pytest.fixture(scope="module")
def models() -> list[Parts]:
    return tiny_models(np.random.default_rng(0))


@pytest.mark.parametrize(("files", "count"), [("models", 500), ("bots", 500), ("templates", 2000)])
def test_damaged_files_are_refused_or_give_finite_scores(
    tmp_path: Path, files: str, count: int, capfd: pytest.CaptureFixture[str]
) -> None:
    results = run(CHECKS[files](), count, 10**6, tmp_path)
    assert results["failed"] == 0, capfd.readouterr().err
    assert results["refused"] > count // 3
    assert results["opened"] > count // 20


@pytest.mark.parametrize("file_format", FORMATS)
def test_damaged_folders_are_refused_or_give_finite_scores(
    tmp_path: Path,
    exported: Callable[..., Path],
    capfd: pytest.CaptureFixture[str],
    file_format: str,
) -> None:
    folders = Folders([exported(file_format), exported(file_format, "words")])
    results = run(check_folder(folders, FORMATS[file_format]), 60, 10**6, tmp_path)
    assert results["failed"] == 0, capfd.readouterr().err
    assert results["refused"] > 15
    assert results["opened"] > 5


def test_the_undamaged_models_are_opened(tmp_path: Path, models: list[Parts]) -> None:
    path = tmp_path / "model"
    for parts in models:
        path.write_bytes(seal(parts))
        assert load_model(path).manifest["kind"] == parts.manifest["kind"]
        for table in (True, False):
            check_scores(load_encoder(path), table=table)


def _find(models: list[Parts], kind: str, **entries: Any) -> Parts:
    """A copy of the first model of a kind, with other manifest entries."""
    parts = next(parts for parts in models if parts.manifest["kind"] == kind)
    return Parts(parts.manifest | entries, dict(parts.tensors))


def _refuse(parts: Parts, path: Path, message: str) -> None:
    path.write_bytes(seal(parts))
    with pytest.raises(ModelFileError, match=message) as raised:
        load_encoder(path)
    assert str(path) in str(raised.value)


def test_an_attention_over_no_words_is_refused(tmp_path: Path, models: list[Parts]) -> None:
    parts = _find(models, "combined", words={"num": 0, "dim": 4})
    for name in ("vocabulary.bytes", "vocabulary.counts", "words.embedding"):
        parts.tensors[name] = parts.tensors[name][:0]
    _refuse(parts, tmp_path / "model", "attention: the table has 0 words")


def test_sizes_beyond_memory_are_refused(tmp_path: Path, models: list[Parts]) -> None:
    dim = 1 << 40
    parts = _find(models, "static", words={"num": 0, "dim": dim}, dim=dim)
    parts.tensors |= {"words.embedding": np.zeros((0, 4), np.float32)}
    _refuse(parts, tmp_path / "model", "must be at most 65536")
    network = CharNetwork(4, hidden=1 << 16)
    with pytest.raises(ModelFileError, match=r"weights of the network need .* numbers in memory"):
        network.check_memory(20, 12)
    network = CharNetwork(4, "transformer", char_dim=64, hidden=64, heads=64)
    network.check_memory(20, 1024)
    with pytest.raises(ModelFileError, match="attention of the network need"):
        network.check_memory(20, 4096)


@pytest.mark.parametrize("error", [MemoryError("12 TB"), KeyError("x"), TypeError("y")])
def test_an_error_of_a_kind_without_checks_names_the_file(
    tmp_path: Path, models: list[Parts], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(model: object) -> StaticEncoder:
        raise error

    monkeypatch.setattr(StaticEncoder, "from_model_file", fail)
    message = f"do not make a model of kind 'static': {type(error).__name__}"
    _refuse(_find(models, "static"), tmp_path / "model", message)


@pytest.mark.parametrize("weight", [1e300, float("nan"), "1", None])
def test_an_ngram_weight_that_overflows_is_refused(
    tmp_path: Path, models: list[Parts], weight: object
) -> None:
    parts = _find(models, "static")
    parts.manifest["ngram_settings"] = parts.manifest["ngram_settings"] | {"weight": weight}
    _refuse(parts, tmp_path / "model", "weight must be a finite number|not allowed in JSON")


def test_a_network_whose_decoded_weights_overflow_is_refused(
    tmp_path: Path, models: list[Parts]
) -> None:
    networks = [parts for parts in models if "mlp.0.weight.scales" in parts.tensors]
    assert len(networks) == 3
    for parts in networks:
        tensors = dict(parts.tensors)
        tensors["mlp.0.weight.scales"] = np.full_like(tensors["mlp.0.weight.scales"], 60000)
        _refuse(Parts(parts.manifest, tensors), tmp_path / "model", "NaN, infinite or beyond")
