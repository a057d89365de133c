"""What holds for the ports of the docs, on the exported folder of every kind of model."""

from collections.abc import Callable
from pathlib import Path

import pytest

from exports.ports import check_javascript_inputs, check_script, run

CHECK_BACKEND = """\
import json, sys
from pathlib import Path
from pocketintent import IntentRecognizer
folder = Path(sys.argv[1])
recognizer = IntentRecognizer.load(model=folder, backend="tflite")
lines = [json.loads(line) for line in (folder / "conformance.jsonl").open(encoding="utf-8")]
for line in lines:
    match = recognizer.match(line["text"])
    assert match.intent == line["intent"], (line, match)
    assert abs(match.score - line["score"]) < 1e-4, (line, match)
assert "tflite_runtime" in sys.modules and "ai_edge_litert" not in sys.modules
print(len(lines))
"""


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_script_agrees_with_every_conformance_utterance(
    exported: Callable[..., Path], file_format: str, kind: str
) -> None:
    check_script(exported(file_format, kind))


def test_the_script_agrees_under_tflite_runtime(
    exported: Callable[..., Path], tflite_python: Path, kind: str
) -> None:
    check_script(exported("tflite", kind), tflite_python)


def test_the_recogniser_runs_under_tflite_runtime(
    exported: Callable[..., Path], tflite_python: Path, kind: str
) -> None:
    result = run(tflite_python, "-c", CHECK_BACKEND, exported("tflite", kind))
    assert result.returncode == 0, result.stderr
    assert result.stdout == "500\n"


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_javascript_makes_the_same_inputs(
    exported: Callable[..., Path], node: str, file_format: str, kind: str
) -> None:
    check_javascript_inputs(node, exported(file_format, kind))
