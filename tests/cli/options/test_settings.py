import argparse
from dataclasses import dataclass
from typing import Literal

import pytest

from pocketintent.cli.options.settings import add_settings, given_settings, read_settings
from pocketintent.settings import setting


@dataclass(frozen=True)
class Settings:
    mode: Literal["word", "text"] = setting("word", "`word` or `text`")
    rate: float = setting(1e-8, "50% of it")
    max_words: int | None = setting(None, "a limit")
    shared: bool = setting(True, "a switch")
    rotate: bool = setting(True, "do not rotate", off="--no-rotate")


def parser(preset: bool = False) -> argparse.ArgumentParser:
    result = argparse.ArgumentParser()
    add_settings(result, Settings, preset=preset)
    return result


def test_options_have_the_defaults_of_the_fields() -> None:
    args = parser().parse_args([])
    assert read_settings(args, Settings) == Settings()
    assert vars(args) == {
        "mode": "word",
        "rate": 1e-8,
        "max_words": None,
        "shared": True,
        "rotate": True,
    }


def test_options_are_read_by_their_types() -> None:
    words = ["--mode", "text", "--rate", "2", "--max-words", "3", "--no-shared", "--no-rotate"]
    settings = read_settings(parser().parse_args(words), Settings)
    assert settings == Settings("text", 2.0, 3, False, False)


def test_with_a_preset_only_the_given_options_have_a_value() -> None:
    args = parser(preset=True).parse_args(["--max-words", "3", "--no-rotate"])
    assert given_settings(args, Settings) == {"max_words": 3, "rotate": False}
    assert read_settings(args, Settings) == Settings(max_words=3, rotate=False)


def test_a_field_can_be_left_without_an_option() -> None:
    result = argparse.ArgumentParser()
    add_settings(result, Settings, without=("mode",))
    args = result.parse_args(["--rate", "2"])
    assert not hasattr(args, "mode")
    assert read_settings(args, Settings) == Settings(rate=2.0)


@pytest.mark.parametrize("words", [["--mode", "letter"], ["--max-words", "x"], ["--rotate"]])
def test_other_words_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(words)
    assert caught.value.code == 2


def test_the_help_has_the_meaning_and_the_default() -> None:
    text = parser().format_help()
    for words in ("50% of it (1e-8)", "a limit (none)", "a switch (on)", "`text` (word)"):
        assert words in text
    assert "do not rotate\n" in text
