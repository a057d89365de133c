from pathlib import Path

import pytest

from pocketintent import IntentRecognizer, ModelFileError, load_encoder
from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder
from pocketintent.runtime.files.shipped_models import DEFAULT, bundled_models, find_model


def test_no_name_is_the_default_model() -> None:
    assert find_model() == find_model(DEFAULT) == bundled_models()[DEFAULT]


@pytest.mark.parametrize("name", bundled_models())
def test_every_shipped_model_opens_by_its_name_and_recognises(name: str) -> None:
    encoder = load_encoder(name)
    recognizer = IntentRecognizer.load("smart_home", name)
    assert recognizer.encoder.dim == encoder.dim
    match = recognizer.match("could you switch the lamp off please")
    assert match.nearest == "lights_off"


@pytest.mark.parametrize("name", bundled_models())
def test_every_shipped_model_has_a_card(name: str) -> None:
    card = bundled_models()[name].with_suffix(".md").read_text("utf-8")
    assert card.startswith("# ")
    assert "licence" in card


def test_a_file_wins_over_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / DEFAULT).write_bytes(b"mine")
    monkeypatch.chdir(tmp_path)
    assert find_model(DEFAULT) == Path(DEFAULT)


@pytest.mark.parametrize("name", ["none.safetensors", "defalut", ""])
def test_a_name_that_stands_for_nothing_says_what_there_is(name: str) -> None:
    with pytest.raises(ModelFileError, match=r"no such model file.*shipped: default"):
        load_encoder(name)


def test_a_folder_is_no_model_file(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"is a folder.*with a backend"):
        load_encoder(tmp_path)


def test_the_robust_model_is_made_from_the_words_and_counts_of_the_default_model() -> None:
    default, robust = load_encoder(DEFAULT), load_encoder("robust")
    assert default.counts is not None and default.counts.min() >= 2
    assert default.word_table is not None and isinstance(robust, CombinedEncoder)
    words = default.word_table.vocabulary.words
    assert robust.vocabulary.words == words[: len(robust.vocabulary)]
    assert robust.manifest["compression"]["count_power"] > 0
