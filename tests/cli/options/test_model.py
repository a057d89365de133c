import argparse
from pathlib import Path

import pytest

from pocketintent import IntentRecognizer
from pocketintent.cli.options.model import model_file, refuse_bot_files, vectors_file
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model


def test_vectors_are_files_or_shipped_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert vectors_file("default") == find_model("default")
    assert vectors_file("vectors.txt") == Path("vectors.txt")  # which is read, and refused, later
    (tmp_path / "default").write_text("mine")
    assert vectors_file("default") == Path("default")


def test_a_missing_model_is_named() -> None:
    assert model_file("tiny") == find_model("tiny")
    with pytest.raises(argparse.ArgumentTypeError, match="tinny: there is no such model file"):
        model_file("tinny")


def test_a_bot_file_is_refused_where_its_templates_would_be_lost(
    tiny_model: Path, tmp_path: Path
) -> None:
    bot = tmp_path / "bot.safetensors"
    IntentRecognizer.load({"on": ["lamp on"]}, tiny_model).save(bot)
    refuse_bot_files(tiny_model)
    with pytest.raises(PocketIntentError, match=f"{bot} is a bot file.*build {bot} --max-words N"):
        refuse_bot_files(tiny_model, bot)
