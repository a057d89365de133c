"""``recognise.py`` on exported folders, and the runtime on them under tflite-runtime."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from exports.ports import (
    ISOLATED,
    LATER,
    LATER_MESSAGES,
    PYTHON_PORT,
    check_script,
    read_lines,
    recognise,
)
from pocketintent import IntentRecognizer
from pocketintent.runtime.graphs.folder import open_exported

EVERY_SCORE_PASSES: dict[str, Any] = {"threshold": -1, "margin": 0}


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_script_looks_for_negations(exported: Callable[..., Path], file_format: str) -> None:
    check_script(exported(file_format, negated=True))


def test_the_script_looks_for_negations_under_tflite_runtime(
    exported: Callable[..., Path], tflite_python: Path
) -> None:
    check_script(exported("tflite", negated=True), tflite_python)


def test_the_script_agrees_on_the_default_model(tmp_path: Path) -> None:
    for package in ("torch", "onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(package)
    from pocketintent_export import export_folder

    export_folder(tmp_path / "smart_home", "smart_home")
    result = recognise(tmp_path / "smart_home", "--check")
    assert result.returncode == 0, result.stderr
    result = recognise(tmp_path / "smart_home", "Could you switch the lamp off, please?", "", "qwx")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [answer["intent"] for answer in answers] == ["lights_off", None, None]
    assert answers[0]["template"] == "switch the lamp off please"
    assert [answer["reason"] for answer in answers] == [None, "unknown_words", "below_threshold"]


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_a_word_without_weight_is_as_unknown_to_a_port_as_to_the_runtime(
    exported: Callable[..., Path], compressed_model: Path, tmp_path: Path, file_format: str
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(exported(file_format), folder)
    # A threshold and a margin that every score passes, so that only the zeros can refuse.
    labels = json.loads((folder / "labels.json").read_text("utf-8")) | EVERY_SCORE_PASSES
    (folder / "labels.json").write_text(json.dumps(labels), "utf-8")
    templates = replace(open_exported(exported(file_format)).templates(), **EVERY_SCORE_PASSES)
    match = IntentRecognizer.load(templates, compressed_model).match("um um")
    assert (match.intent, match.score, match.reason) == (None, 0.0, "unknown_words")
    result = recognise(folder, "um um", "hello")
    assert result.returncode == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(answer["intent"], answer["reason"]) for answer in answers] == [
        (None, "unknown_words"),
        ("greet", None),
    ]


def test_the_script_answers_each_line_of_stdin(exported: Callable[..., Path]) -> None:
    folder = exported("onnx")
    result = recognise(folder, stdin="hello\nlamp on\n")
    assert result.returncode == 0, result.stderr
    assert result.stdout == recognise(folder, "hello", "lamp on").stdout != ""


def test_the_script_ends_quietly_when_its_reader_has_enough(exported: Callable[..., Path]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ISOLATED, PYTHON_PORT, exported("onnx")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(b"lamp on\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b'{"text": "lamp on"')  # not held back
        process.stdout.close()
        process.stdin.write(b"lamp off\n" * 10)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("model", ["static", "combined", "transformer"])
def test_the_script_needs_the_files_of_an_app_alone(
    exported: Callable[..., Path], tmp_path: Path, model: str
) -> None:
    shutil.copytree(
        exported("onnx", model),
        tmp_path / "folder",
        ignore=shutil.ignore_patterns("encoder.*", "conformance.jsonl", "state.safetensors"),
    )
    result = recognise(tmp_path / "folder", "lamp on")
    assert result.returncode == 0, result.stderr
    assert result.stdout == recognise(exported("onnx", model), "lamp on").stdout


@pytest.mark.parametrize("missing", ["encoder.onnx", "conformance.jsonl"])
def test_a_check_without_its_files_is_refused_in_one_line(
    exported: Callable[..., Path], tmp_path: Path, missing: str
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(exported("onnx"), folder)
    (folder / missing).unlink()
    result = recognise(folder, "--check")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert missing in result.stderr


@pytest.mark.parametrize(("changes", "message"), zip(LATER, LATER_MESSAGES, strict=True))
def test_the_script_refuses_a_folder_that_it_cannot_read(
    exported: Callable[..., Path], tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(exported("onnx"), folder)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8")) | changes
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    result = recognise(folder, "hello")
    assert (result.returncode, result.stderr) == (
        1,
        f"{folder} cannot be read: ValueError: {message}\n",
    )


@pytest.mark.parametrize(
    ("model", "field", "value"),
    [
        ("static", "tokens", ["other"]),
        ("static", "ids", [0, 1, 2]),
        ("static", "weights", [2.0]),
        ("static", "vector", [0.5] * 8),
        ("static", "intent", "other"),
        ("static", "score", 0.123),
        ("static", "scores", [0.1, 0.2, 0.3, 0.4]),
        ("static", "ngram_counts", [[3, 1]]),
        ("static", "template", "another"),
        ("static", "nearest", "other"),
        ("static", "runner_up", {"intent": "other", "score": 0.5, "template": "another"}),
        ("static", "margin", 0.123),
        ("static", "reason", "ambiguous"),
        ("contextual", "token_numbers", [0, 0, 7]),
        ("transformer", "tokens", ["l", "##amp"]),
        ("combined", "ids", [0, 1, 2]),
        ("combined", "characters", [[1, 2]]),
        ("text", "characters", [1, 2]),
    ],
)
def test_an_altered_line_fails_the_check_and_is_named(
    exported: Callable[..., Path], tmp_path: Path, model: str, field: str, value: object
) -> None:
    folder = tmp_path / "altered"
    shutil.copytree(exported("onnx", model), folder)
    lines = read_lines(folder / "conformance.jsonl")[:7]
    lines[4][field] = value
    altered = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "conformance.jsonl").write_text(altered, "utf-8")
    result = recognise(folder, "--check")
    assert result.returncode == 1
    assert result.stderr.startswith(f"conformance.jsonl, line 5: {field}: ")


@pytest.mark.parametrize("missing", ["", "manifest.json", "labels.json", "recognizer.onnx"])
def test_a_folder_that_is_no_export_is_refused_in_one_line(
    exported: Callable[..., Path], tmp_path: Path, missing: str
) -> None:
    folder = tmp_path / "folder"
    if missing:
        shutil.copytree(exported("onnx"), folder)
        (folder / missing).unlink()
    result = recognise(folder, "hello")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"{folder} cannot be read: ")
    assert missing in result.stderr


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"name": "an app"}', "\x00"])
def test_a_folder_with_a_foreign_manifest_is_refused_in_one_line(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "manifest.json").write_text(content)
    (tmp_path / "labels.json").write_text("{}")
    result = recognise(tmp_path, "--check")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
