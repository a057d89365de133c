from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.few_shot import evaluate_intents
from pocketintent.evaluation.intents.line_plot import plot_typing_errors
from pocketintent.evaluation.intents.robustness import evaluate_typing_errors, misspell
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.correction import Corrector
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.typing_errors import add_typing_errors


class RecordingEncoder:
    """An encoder that records the texts it encodes."""

    def __init__(self, encoder: StaticEncoder) -> None:
        self.encoder, self.dim = encoder, encoder.dim
        self.template_quantizer, self.background = encoder.template_quantizer, encoder.background
        self.known_words: Vocabulary | None = None  # texts arrive with their errors
        self.batches: list[list[str]] = []

    def encode(self, text: str) -> FloatArray:
        return self.encoder.encode(text)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        self.batches.append(list(texts))
        return self.encoder.encode_batch(texts)


@given(st.lists(st.text("turn on", max_size=8), max_size=5), st.integers(0, 3))
def test_typing_errors_depend_on_the_position_and_not_on_the_other_texts(
    texts: list[str], count: int
) -> None:
    misspelt = misspell(texts, count, run=1, seed=2)
    assert misspelt == [
        add_typing_errors(text, count, np.random.default_rng([2, 1, position]))
        for position, text in enumerate(texts)
    ]
    assert misspell(texts[:2], count, run=1, seed=2) == misspelt[:2]


def test_errors_are_nested_and_differ_between_runs() -> None:
    texts = ["please turn on the lights in the kitchen"] * 20
    for position, (once, twice) in enumerate(
        zip(misspell(texts, 1), misspell(texts, 2), strict=True)
    ):
        rng = np.random.default_rng([0, 0, position])
        assert add_typing_errors(texts[0], 1, rng) == once
        assert add_typing_errors(once, 1, rng) == twice
    assert misspell(texts, 1, run=0) != misspell(texts, 1, run=1)
    assert misspell(texts, 1, seed=0) != misspell(texts, 1, seed=1)


def test_no_errors_give_the_plain_evaluation(tiny_encoder: StaticEncoder, intent_dir: Path) -> None:
    data = load_intent_data(intent_dir)
    report = evaluate_typing_errors({"ours": tiny_encoder}, data, shots=2, errors=[0], runs=3)
    plain = evaluate_intents(tiny_encoder, intent_dir, shots=2, runs=3)["results"]
    assert [(r["decision"], r["accuracy"], r["macro_f1"]) for r in report["results"]] == [
        (r["decision"], r["accuracy"], r["macro_f1"]) for r in plain
    ]


def test_typing_errors_are_corrected_as_the_recogniser_does(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    data = load_intent_data(intent_dir)
    correcting, plain = RecordingEncoder(tiny_encoder), RecordingEncoder(tiny_encoder)
    correcting.known_words = tiny_encoder.known_words
    evaluate_typing_errors(
        {"correcting": correcting, "plain": plain}, data, shots=2, errors=[1], runs=1
    )

    known_words = tiny_encoder.vocabulary.words
    corrector = Corrector(plain.batches[0], Vocabulary(known_words))
    queries = misspell(data.query_texts, 1)
    assert plain.batches[1] == queries
    assert {*map(corrector, queries)} <= {text for batch in correcting.batches for text in batch}
    assert {*map(corrector, queries)} != {*queries}


def test_every_model_gets_the_same_errors_and_clean_templates(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    data = load_intent_data(intent_dir, learn_names=False)
    first, second = RecordingEncoder(tiny_encoder), RecordingEncoder(tiny_encoder)
    report = evaluate_typing_errors(
        {"a": first, "b": second}, data, shots=2, errors=[0, 2], runs=2, seed=5
    )
    assert first.batches == second.batches
    templates, clean, misspelt = first.batches[:3]
    assert set(templates) <= set(data.train_texts)
    assert clean == data.query_texts
    assert misspelt == misspell(data.query_texts, 2, seed=5)
    assert first.batches[5] == misspell(data.query_texts, 2, run=1, seed=5)
    rows = report["results"]
    assert [row["system"] for row in rows] == ["a"] * 6 + ["b"] * 6
    assert [row["accuracy"] for row in rows[:6]] == [row["accuracy"] for row in rows[6:]]
    assert report["num_queries"] == len(data.query_texts)


def test_typing_errors_cost_a_model_of_words_accuracy(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    data = load_intent_data(intent_dir)
    report = evaluate_typing_errors(
        {"ours": tiny_encoder}, data, shots=3, errors=[0, 6], decisions=["nearest"], runs=4
    )
    clean, misspelt = (row["accuracy"]["mean"] for row in report["results"])
    assert misspelt < clean


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"errors": []}, "different numbers"),
        ({"errors": [1, 1]}, "different numbers"),
        ({"errors": [-1]}, "different numbers"),
        ({"shots": 0}, "shots must be at least 1"),
        ({"runs": 0}, "runs must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"decisions": ["loudest"]}, "unknown decision 'loudest'"),
    ],
)
def test_invalid_settings_are_rejected(
    options: dict, message: str, tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        evaluate_typing_errors({"ours": tiny_encoder}, load_intent_data(intent_dir), **options)


def test_the_plot_has_a_panel_for_each_set(
    tiny_encoder: StaticEncoder, intent_dir: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    data = load_intent_data(intent_dir)
    report = evaluate_typing_errors({"ours": tiny_encoder}, data, shots=1, errors=[0, 1])
    plot_typing_errors([report, report], tmp_path / "typing.svg")
    assert (tmp_path / "typing.svg").read_text().count('id="axes_') == 2
