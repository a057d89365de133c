"""A short run of the comparison of Python with the npm package, where that is built."""

import shutil
from pathlib import Path

import pytest

from benchmarks.robustness.core.texts import Drawn
from benchmarks.robustness.web_answers import template_texts
from benchmarks.robustness.web_texts import MODULES, WEB, ask, check_texts
from pocketintent import IntentRecognizer


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    if shutil.which("node") is None or not (WEB / "dist" / "index.js").exists():
        pytest.skip("no npm package: `make web` builds it")
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load("smart_home", "tiny").save(path)
    return path


@pytest.mark.parametrize("module", MODULES)
def test_the_package_answers_as_python_does(bot: Path, module: str) -> None:
    drawn = Drawn(template_texts())
    assert check_texts(bot, module, [drawn[number] for number in range(300)]) == []


def test_another_bot_answers_otherwise(bot: Path, tmp_path: Path) -> None:
    """So that the comparison is one."""
    other = tmp_path / "other.safetensors"
    IntentRecognizer.load("travel", "tiny").save(other)
    texts = ["lamp off", "book a flight"]
    assert ask(bot, "simd", texts) != ask(other, "simd", texts)
