"""A reader who opens the recogniser follows a text to its match through a few files."""

import sys
from pathlib import Path
from types import FrameType

import pytest

import pocketintent
from pocketintent import IntentRecognizer

MOST_MODULES = {"default": 11, "fast": 8, "tiny": 8}
"""By model: a transformer has its layers, the pieces of words and the limit of threads apart."""
TEXTS = ("could you switch the lamp off please", "lights on", "what's the weather like today?")


def _modules_of_a_match(recognizer: IntentRecognizer, text: str) -> set[str]:
    """The modules whose functions are run by a match."""
    files = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        files.add(Path(frame.f_code.co_filename))

    sys.setprofile(note)
    try:
        recognizer.match(text)
    finally:
        sys.setprofile(None)
    package = Path(pocketintent.__file__).parent
    return {str(file.relative_to(package)) for file in files if package in file.parents}


@pytest.mark.parametrize("model", MOST_MODULES)
def test_a_text_comes_to_its_match_through_few_modules(model: str) -> None:
    recognizer = IntentRecognizer.load("smart_home", model)
    recognizer.match_batch(TEXTS)  # words are read once

    for text in TEXTS:
        modules = _modules_of_a_match(recognizer, text)
        assert "recognizer.py" in modules
        assert len(modules) <= MOST_MODULES[model], sorted(modules)
