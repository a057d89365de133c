from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from pocketintent import IntentRecognizer
from pocketintent.runtime.decision.bot import Bot
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import ExportedFolder, open_exported
from pocketintent_export import ProofError
from pocketintent_export.proof import prove


@pytest.fixture
def folder(exported: Callable[[str], Path]) -> ExportedFolder:
    return open_exported(exported("onnx"))


@pytest.fixture
def bot(folder: ExportedFolder) -> Bot:
    return IntentRecognizer.load(model=folder.path, backend="onnxruntime")._bot


def _lines(folder: ExportedFolder) -> list[dict[str, Any]]:
    content = (folder.path / "conformance.jsonl").read_bytes().splitlines()
    return [orjson.loads(line) for line in content[:40]]


def test_a_folder_proves_itself(folder: ExportedFolder, bot: Bot) -> None:
    proof = prove(folder, bot, _lines(folder))
    assert (proof.utterances, proof.intents_differing) == (40, 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"intent": "another"}, "another"),
        ({"template": "another"}, "another"),
        ({"reason": "ambiguous"}, "ambiguous"),
        ({"score": 0.123}, "score"),
        ({"text": "?"}, "vector"),
    ],
)
def test_a_difference_is_refused_with_its_utterance(
    change: dict[str, Any], words: str, folder: ExportedFolder, bot: Bot
) -> None:
    lines = _lines(folder)
    lines[7] |= change
    with pytest.raises(ProofError, match=words):
        prove(folder, bot, lines)


def test_a_vector_that_is_not_a_number_is_refused(folder: ExportedFolder, bot: Bot) -> None:
    class Broken(GraphEncoder):
        def encode(self, text: str) -> Any:
            return super().encode(text) * np.float32("nan")

    with pytest.raises(ProofError):
        prove(folder, replace(bot, encoder=Broken(folder)), _lines(folder))
