import json
from pathlib import Path

import pytest

from every_kind.encoder_checks import check_batch
from pocketintent import IntentRecognizer, ModelFileError, load_encoder
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
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


def test_the_shipped_models_are_a_family_of_three() -> None:
    kinds = {name: load_encoder(name).kind for name in bundled_models()}
    assert kinds == {"default": "transformer", "fast": "contextual", "tiny": "contextual"}


@pytest.mark.parametrize("name", bundled_models())
def test_a_shipped_model_is_ready_to_be_built_and_pruned(name: str) -> None:
    encoder = load_encoder(name)
    assert isinstance(encoder, ContextualEncoder | TransformerEncoder)
    assert encoder.manifest["languages"] == ["en"]
    assert encoder.background is not None and encoder.template_quantizer is not None
    assert encoder.table.counts is not None


@pytest.mark.parametrize("name", bundled_models())
def test_a_shipped_model_reads_a_word_that_it_does_not_know(name: str) -> None:
    """By n-grams, or by pieces of words."""
    encoder = load_encoder(name)
    assert isinstance(encoder, ContextualEncoder | TransformerEncoder)
    assert "unheardoff" not in encoder.vocabulary
    assert encoder.encode("unheardoff").any()


@pytest.mark.parametrize("name", bundled_models())
def test_the_order_of_the_words_counts(name: str) -> None:
    encoder = load_encoder(name)
    first, second = encoder.encode_batch(
        ["turn on the lights, turn off the music", "turn off the lights, turn on the music"]
    )
    assert abs(first - second).max() > 1e-4  # the vectors of a sum differ by rounding alone


@pytest.mark.parametrize(("name", "megabytes"), [("default", 6.1), ("fast", 4.0), ("tiny", 1.0)])
def test_a_shipped_model_is_as_small_as_promised(name: str, megabytes: float) -> None:
    assert bundled_models()[name].stat().st_size <= megabytes * 1e6


@pytest.mark.parametrize("name", bundled_models())
def test_a_batch_of_real_texts_agrees_with_its_texts_one_by_one(name: str, data_dir: Path) -> None:
    path = data_dir / "intents" / "clinc150" / "train.jsonl"
    texts = [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()[::50]]
    encoder = load_encoder(name)
    assert len(texts) > 200
    check_batch(encoder, [*texts, "", "unheardof worrds", "\N{GRINNING FACE}"])
