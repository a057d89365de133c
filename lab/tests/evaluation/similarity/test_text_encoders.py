from pathlib import Path

import numpy as np
import pytest

from models.random_networks import random_network
from pocketintent.evaluation.records import ScoredPair, read_pairs
from pocketintent.evaluation.similarity.sts import correlate
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder, Reading
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors
from pocketintent_lab.evaluation.similarity.text_encoders import (
    compare_encoders,
    read_model,
    read_tables,
)


def make_charemb(reads: Reading) -> CharEncoder:
    rng = np.random.default_rng(3)
    vocabulary = CharVocabulary(" abcdefghijklmnopqrstuvwxyz", max_chars=32)
    network = CharNetwork(dim=6, char_dim=4, hidden=4, layers=1, mlp=5, heads=2)
    return random_network(network, vocabulary, rng, scale=0.7, reads=reads)


PAIRS = [
    ScoredPair("turn on the light", "switch on the lamp", 5.0),
    ScoredPair("turn on the light", "play music", 0.5),
    ScoredPair("pizza", "food", 4.5),
    ScoredPair("hello zzz", "close the door", 1.0),
]


def test_a_table_of_words_equals_its_model(tiny_encoder: StaticEncoder, tiny_model: Path) -> None:
    (as_table,) = read_tables(tiny_model)
    (as_model,) = read_model(tiny_model)
    table, model = compare_encoders([as_table, as_model], PAIRS, "pairs")
    plain = correlate(tiny_encoder, PAIRS, "pairs")
    for row in (table, model):
        assert row["pearson"] == pytest.approx(plain["pearson"], abs=1e-6)
        assert row["spearman"] == pytest.approx(plain["spearman"])
        assert row["known_tokens"] == pytest.approx(20 / 21)  # all but "zzz"
        assert (row["name"], row["reads"]) == (str(tiny_model), "words")
    assert (table["kind"], table["bytes"]) == ("table", tiny_encoder.words.decode().nbytes)
    assert (model["kind"], model["bytes"]) == ("static", tiny_model.stat().st_size)


def test_a_table_with_terms_is_measured_without_and_with_them(tmp_path: Path) -> None:
    # The words of the term point away from the meaning of the term.
    terms = ["new", "york", "new_york", "city", "shoes"]
    vectors = np.array([[0, 1], [0, 1], [1, 0], [1, 0], [0, 1]], np.float32)
    path = tmp_path / "table.tsv"
    write_vectors(path, TermVectors(terms, vectors))
    pairs = [ScoredPair("New York", "city", 1), ScoredPair("New York", "shoes", 0)]
    words, joined = compare_encoders(read_tables(path), pairs, path)
    assert (words["reads"], joined["reads"]) == ("words", "words and terms")
    assert words["pearson"] == pytest.approx(-1)
    assert joined["pearson"] == pytest.approx(1)
    assert words["known_tokens"] == joined["known_tokens"] == 1.0


def test_the_limit_cuts_the_table(tiny_model: Path) -> None:
    (table,) = read_tables(tiny_model, limit=3)
    assert table.bytes == read_vectors(tiny_model, 3).vectors.nbytes
    assert table.encoder.encode("pizza").max() == 0


def test_models_that_embed_unknown_words_report_no_share_of_known_tokens(
    compressed_model: Path,
) -> None:
    row, default = compare_encoders(
        [*read_model(compressed_model), *read_model("default")], PAIRS, "pairs"
    )
    assert row["known_tokens"] is None
    assert (default["name"], default["bytes"]) == ("default", find_model().stat().st_size)


@pytest.mark.parametrize("own", ["text", "words"])
def test_a_character_network_is_measured_with_both_readings(own: Reading, tmp_path: Path) -> None:
    encoders = {"text": make_charemb("text"), "words": make_charemb("words")}
    path = tmp_path / "charemb.safetensors"
    save_model(path, *encoders[own].to_model_file_parts())
    rows = compare_encoders(read_model(path), PAIRS, path)
    assert rows[0]["reads"] == own
    assert {row["reads"] for row in rows} == set(encoders)
    for row in rows:
        expected = correlate(encoders[row["reads"]], PAIRS, path)
        assert row["pearson"] == pytest.approx(expected["pearson"], abs=1e-5)
        assert (row["kind"], row["bytes"]) == ("charemb", path.stat().st_size)
        assert row["known_tokens"] is None


def test_progress_names_each_finished_encoder(tiny_model: Path) -> None:
    names: list[str] = []
    compare_encoders(read_model(tiny_model), PAIRS, "pairs", names.append)
    assert names == [str(tiny_model)]
    with pytest.raises(PocketIntentError, match="pairs: a correlation needs at least 2"):
        compare_encoders(read_model(tiny_model), PAIRS[:1], "pairs")


def test_the_default_model_is_measured_on_real_sentences(data_dir: Path) -> None:
    pairs = read_pairs(data_dir / "sts" / "stsb" / "dev.jsonl")[0][:300]
    (default,) = read_model("default")
    (row,) = compare_encoders([default], pairs, "dev")
    assert row["pearson"] == correlate(default.encoder, pairs, "dev")["pearson"] > 0.5
