from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.templates.template_set import parse_templates
from pocketintent_export import ProofError
from pocketintent_export.proof import decide, prove


def _lines(folder: Path) -> list[dict[str, Any]]:
    content = (folder / "conformance.jsonl").read_bytes().splitlines()
    return [orjson.loads(line) for line in content[:40]]


def test_a_folder_proves_itself(exported: Callable[[str], Path]) -> None:
    folder = open_exported(exported("onnx"))
    proof = prove(folder, GraphEncoder(folder), folder.templates(), _lines(folder.path))
    assert (proof.utterances, proof.intents_differing) == (40, 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"intent": "another"}, "another"), ({"score": 0.123}, "score"), ({"text": "?"}, "vector")],
)
def test_a_difference_is_refused_with_its_utterance(
    change: dict[str, Any], words: str, exported: Callable[[str], Path]
) -> None:
    folder = open_exported(exported("onnx"))
    lines = _lines(folder.path)
    lines[7] |= change
    with pytest.raises(ProofError, match=words):
        prove(folder, GraphEncoder(folder), folder.templates(), lines)


def test_a_vector_that_is_not_a_number_is_refused(exported: Callable[[str], Path]) -> None:
    folder = open_exported(exported("onnx"))
    encoder = GraphEncoder(folder)

    class Broken(GraphEncoder):
        def encode(self, text: str) -> Any:
            return encoder.encode(text) * np.float32("nan")

    with pytest.raises(ProofError):
        prove(folder, Broken(folder), folder.templates(), _lines(folder.path))


@pytest.mark.parametrize(
    ("scores", "intent"),
    [
        ((0.9, 0.2), "a"),
        ((0.2, 0.9), "b"),
        ((0.5, 0.2), None),
        ((0.2, 0.65), None),
        ((0.84, 0.8), None),
        ((0.8, 0.8), None),
    ],
)
def test_thresholds_and_margin_decide(scores: tuple[float, float], intent: str | None) -> None:
    templates = parse_templates(
        {
            "threshold": 0.6,
            "margin": 0.1,
            "intents": {"a": {"templates": ["x"]}, "b": {"templates": ["y"], "threshold": 0.7}},
        }
    )
    assert decide(np.array(scores, np.float32), templates) == intent


def test_a_vector_of_zeros_has_no_intent_whatever_the_threshold() -> None:
    templates = parse_templates({"threshold": -1, "intents": {"a": {"templates": ["x"]}}})
    assert decide(np.array([0.0], np.float32), templates) is None
    assert decide(np.array([-0.5], np.float32), templates) == "a"
