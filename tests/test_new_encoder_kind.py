"""A new encoder kind is one class; compression adds a line, and export a class."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.cli.main import main
from pocketintent.compression import kinds
from pocketintent.compression.kinds import Compression, words_of
from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.encoders import registry
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import (
    add_template_quantizer,
    encoder_entries,
    manifest_entry,
    read_template_quantizer,
)
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import ModelFile, save_model
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.quantization.tensors import matrix_from_tensors, matrix_parts
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary


class MaximumEncoder(ModelEncoder):
    """The maximum of the words' vectors in each dimension, at unit length."""

    kind: ClassVar[str] = "maximum"

    def __init__(
        self,
        vocabulary: Vocabulary,
        words: Matrix,
        *,
        tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
        template_quantizer: Quantizer | None = None,
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        self.vocabulary, self.words, self.dim = vocabulary, words, words.dim
        self.tokenizer_spec, self.tokenize = dict(tokenizer_spec), get_tokenizer(tokenizer_spec)
        self.template_quantizer = template_quantizer
        self.manifest = dict(manifest or {})

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            rows = self.words.rows(np.array(self.vocabulary.ids(self.tokenize(text)), np.intp))
            if len(rows):
                vector[:] = rows.max(axis=0)
        return unit_rows(vectors)

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        words, tensors = matrix_parts(self.words, "words")
        tensors |= self.vocabulary.to_tensors()
        manifest = {
            **self.manifest,
            "kind": self.kind,
            "dim": self.dim,
            "tokenizer": self.tokenizer_spec,
            "words": words,
        }
        if self.template_quantizer is not None:
            add_template_quantizer(self.template_quantizer, manifest, tensors)
        return manifest, tensors

    @classmethod
    def from_model_file(cls, model: ModelFile) -> MaximumEncoder:
        words = matrix_from_tensors(model.tensors, "words", model.manifest["words"])
        return cls(
            Vocabulary.from_tensors(model.tensors),
            words,
            tokenizer_spec=manifest_entry(model.manifest, "tokenizer"),
            template_quantizer=read_template_quantizer(model, words.dim),
            manifest=encoder_entries(model.manifest),
        )


def _table(encoder: MaximumEncoder) -> StaticEncoder:
    return StaticEncoder(encoder.vocabulary, encoder.words)


MAXIMUM_COMPRESSION = Compression(_table, rotates=False)
"""A maximum depends on the axes."""


def register_export(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register how the kind is exported: one more class, which needs torch."""
    import torch

    from pocketintent_export.kinds import registry as exports
    from pocketintent_export.kinds.contract import KindExport, refuse_float_tables
    from pocketintent_export.layers.codes import QuantizedRows
    from pocketintent_export.layers.similarities import unit

    class MaximumExport(KindExport[MaximumEncoder]):
        def check(self, source: str, is_bot: bool = False) -> None:
            refuse_float_tables(source, is_bot, self.encoder.words)

        def inputs(
            self, max_length: int | None = None, max_chars: int | None = None
        ) -> GraphInputs:
            encoder = self.encoder
            return GraphInputs(encoder.tokenizer_spec, encoder.vocabulary, None, max_length)

        def modules(self, file_format: str, max_chars: int | None) -> dict[str, torch.nn.Module]:
            return {"encoder": MaximumModule(self.encoder.words)}

        def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
            rows = self.encoder.words.rows(slots.ids.astype(np.intp))
            vector: FloatArray = unit_rows(rows.max(axis=0, keepdims=True))[0]
            return vector

    class MaximumModule(torch.nn.Module):
        def __init__(self, words: Any) -> None:
            super().__init__()
            self.rows = QuantizedRows([words])

        def forward(self, ids: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
            rows, norms = self.rows(ids.reshape(-1))
            rows = (rows * norms).reshape(*ids.shape, -1)
            # Padding has no weight; a text without a word is zeros.
            padding = torch.where(weights > 0, 0.0, -1e9).unsqueeze(-1)
            known = (weights.sum(-1, keepdim=True) > 0).to(torch.float32)
            return unit((rows + padding).amax(1) * known)

    monkeypatch.setattr(exports, "_KINDS", dict(exports._KINDS))
    exports.register("maximum", MaximumExport)


TEMPLATES = {
    "lights_on": ["turn on the light", "lamp on please"],
    "lights_off": ["turn off the light", "lamp off please"],
    "music": ["play some jazz", "hear music"],
}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_KINDS", dict(registry._KINDS))
    monkeypatch.setattr(kinds, "_KINDS", dict(kinds._KINDS))
    registry.register(MaximumEncoder)
    kinds.register(MaximumEncoder.kind, MAXIMUM_COMPRESSION)
    yield


@pytest.fixture
def model(tiny_encoder: StaticEncoder, tmp_path: Path) -> Path:
    encoder = MaximumEncoder(
        tiny_encoder.vocabulary, tiny_encoder.words, manifest={"training": {"seed": 1}}
    )
    path = tmp_path / "maximum.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    return path


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "templates.json"
    path.write_text(json.dumps(TEMPLATES), encoding="utf-8")
    return path


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """The last JSON line that a command prints."""
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return report


def _compress(capsys: pytest.CaptureFixture[str], model: Path, out: Path) -> dict[str, Any]:
    return _run(
        capsys, "compress", model, "--out", out, "--sub-dim", 4, "--codebook-size", 64, "--keep", 30
    )


def test_it_is_saved_and_loaded(model: Path) -> None:
    encoder = load_encoder(model)
    assert isinstance(encoder, MaximumEncoder)
    assert encoder.manifest["training"] == {"seed": 1}
    assert np.linalg.norm(encoder.encode("turn on the light")) == pytest.approx(1)
    assert not encoder.encode("zzz").any()


def test_it_matches(model: Path, templates: Path) -> None:
    recognizer = IntentRecognizer.load(templates, model)
    assert recognizer.match("please turn the lamp off").nearest == "lights_off"
    recognizer.add_intent("food", ["order a pizza"])
    assert recognizer.match_batch(["hungry for pizza", "zzz"])[0].nearest == "food"


def test_it_is_compressed_and_reported(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "small.safetensors"

    report = _compress(capsys, model, out)

    small = load_encoder(out)
    assert isinstance(small, MaximumEncoder)
    assert report["words"] == {"before": len(words_of(load_encoder(model)).vocabulary), "after": 30}
    assert report["settings"]["rotate"] is False  # a maximum depends on the axes
    assert report["bytes"]["codes"] == 30 * small.dim // 4 * 6 // 8  # six bits a code
    assert report["bytes"]["vocabulary"] > 0 and report["bytes"]["network"] == 0
    text = "turn on light lamp"
    assert small.encode(text) @ load_encoder(model).encode(text) > 0.9


def test_it_is_evaluated(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [("turn the light on", "lamp on", 5), ("play jazz", "hear music", 4), ("hi", "eat", 0)]
    lines = [json.dumps({"a": a, "b": b, "score": score}) for a, b, score in pairs]
    sts = tmp_path / "sts.jsonl"
    sts.write_text("\n".join(lines), encoding="utf-8")
    folder = tmp_path / "intents"
    folder.mkdir()
    rows = [{"text": text, "intent": name} for name, texts in TEMPLATES.items() for text in texts]
    for split in ("train", "test"):
        content = "\n".join(map(json.dumps, rows))
        (folder / f"{split}.jsonl").write_text(content, encoding="utf-8")

    assert _run(capsys, "evaluate", "sts", sts, "--model", model)["pearson"] > 0.5
    intents = _run(
        capsys, "evaluate", "intents", folder, "--model", model, "--shots", 2, "--runs", 1
    )
    assert intents["results"][0]["accuracy"]["mean"] == 1


def test_without_its_export_it_is_refused(
    model: Path, templates: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxscript")
    arguments = ["export", "--model", model, "--templates", templates, "--format", "onnx"]
    assert main([*map(str, arguments), "--out", str(tmp_path / "exported")]) == 1
    assert "encoders of kind 'maximum' cannot be exported" in capsys.readouterr().err


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_it_is_exported_with_the_proof_and_runs_there(
    model: Path,
    templates: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    file_format: str,
) -> None:
    pytest.importorskip("onnxscript" if file_format == "onnx" else "litert_torch")
    register_export(monkeypatch)
    small, out = tmp_path / "small.safetensors", tmp_path / "exported"
    _compress(capsys, model, small)

    limit = ("--max-length", 6) if file_format == "tflite" else ()
    report = _run(
        capsys,
        *("export", "--model", small, "--templates", templates, "--format", file_format),
        *("--out", out, *limit),
    )

    assert report["proof"]["intents_differing"] == 0
    backend = {"onnx": "onnxruntime", "tflite": "tflite"}[file_format]
    exported = IntentRecognizer.load(model=out, backend=backend)  # type: ignore[arg-type]
    expected = IntentRecognizer.load(templates, small)
    for text in ("turn the lamp off", "hear jazz please", "zzz", ""):
        found = exported.match(text)
        assert found.nearest == expected.match(text).nearest
        assert found.score == pytest.approx(expected.match(text).score, abs=1e-5)
