import numpy as np
import pytest

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent_lab.training.infersent.data import PairBatches, graded, make_data
from pocketintent_lab.training.infersent.pairs import LabelledPair

WORDS = ["play", "stop", "song", "news", "the"]
TABLE = StaticEncoder(Vocabulary(WORDS), DenseMatrix(np.eye(5, dtype=np.float32)))


def pair(a: str, b: str, answer: str | float, question: str = "label") -> LabelledPair:
    return LabelledPair("pairs.jsonl, line 7", a, b, question, answer)


PAIRS = [
    pair("play the song", "play zzz song", "yes"),
    pair("stop", "play", "no"),
    pair("zzz", "play", "no"),
    pair("the news", "stop the news", 3.8, "score"),
    pair("play", "stop", 0.0, "score"),
]


def test_sentences_are_numbers_of_known_words() -> None:
    data = make_data(TABLE, PAIRS, 0.0, 0)
    assert (data.num_training, data.num_validation, data.num_left_out) == (4, 0, 1)
    label, score = data.training
    assert label.classes == ("no", "yes")
    np.testing.assert_array_equal(label.targets, [[0, 1], [1, 0]])
    words, lengths = data.sentences.words(label.pairs.reshape(-1))
    read = [
        [WORDS[int(data.sentences.vectors[word].argmax())] for word in row[:length]]
        for row, length in zip(words, lengths, strict=True)
    ]
    assert read == [["play", "the", "song"], ["play", "song"], ["stop"], ["play"]]
    assert len(data.sentences.lengths) == 6  # "play" and "stop" are stored once
    assert score.classes == ("0", "1", "2", "3", "4", "5")


def test_a_score_is_shared_by_the_whole_numbers_around_it() -> None:
    targets = graded(np.array([0, 3.8, 5, 2.5], np.float32))
    expected = np.zeros((4, 6))
    expected[0, 0] = expected[2, 5] = 1
    expected[1, 3:5] = 0.2, 0.8
    expected[3, 2:4] = 0.5
    np.testing.assert_allclose(targets, expected, atol=1e-6)
    np.testing.assert_allclose(targets @ np.arange(6), [0, 3.8, 5, 2.5], atol=1e-6)


def test_a_share_of_each_question_is_held_out() -> None:
    pairs = [
        pair(word, other, "yes" if word == other else "no") for word in WORDS for other in WORDS
    ]
    pairs += [pair(word, other, 2.0, "score") for word in WORDS[:2] for other in WORDS]
    data = make_data(TABLE, pairs, 0.2, 0)
    assert [len(part) for part in data.training] == [20, 8]
    assert [len(part) for part in data.validation] == [5, 2]
    held_out = {tuple(sides) for sides in data.validation[0].pairs.tolist()}
    assert not held_out & {tuple(sides) for sides in data.training[0].pairs.tolist()}


def test_a_whole_number_is_a_share_too() -> None:
    data = make_data(TABLE, PAIRS, 0, 0)
    assert (data.num_training, data.num_validation) == (4, 0)


def test_pairs_may_be_held_out_by_name() -> None:
    data = make_data(TABLE, PAIRS, [pair("the", "stop", "yes")], 0)
    assert [part.question for part in data.training] == ["label", "score"]
    assert [(part.question, len(part)) for part in data.validation] == [("label", 1)]


@pytest.mark.parametrize(
    ("training", "validation", "message"),
    [
        ([pair("play", "stop", "yes")] * 2, [], "all pairs have the same label, 'yes'"),
        (PAIRS, [pair("play", "stop", "maybe")], "line 7: no training pair has the label 'maybe'"),
        (PAIRS, [pair("play", "stop", "true", "same")], "line 7: a pair with a same, but no"),
        ([pair("x", "y", "yes"), pair("x", "z", "no")], [], "no pair has words with vectors"),
    ],
)
def test_pairs_from_which_nothing_can_be_learnt_are_refused(
    training: list[LabelledPair], validation: list[LabelledPair], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        make_data(TABLE, training, validation, 0)


def test_an_epoch_has_every_pair_once_and_each_batch_one_question() -> None:
    labels = [pair(a, b, "yes" if a == b else "no") for a in WORDS for b in WORDS]
    scores = [pair(a, f"the {b}", float(len(a) % 5), "score") for a in WORDS for b in WORDS]
    data = make_data(TABLE, labels + scores, 0.0, 0)
    batches = PairBatches(data, 4, seed=3)
    assert len(batches) == 14

    def read(epoch: int) -> list[tuple[str, list[int]]]:
        batches.start_epoch(epoch)
        made = [batches.batch(number) for number in range(len(batches))]
        return [(batch.question, batch.sentences.tolist()) for batch in made]

    first = read(0)
    seen: dict[str, list[tuple[int, ...]]] = {"label": [], "score": []}
    for question, sentences in first:
        half = len(sentences) // 2
        sides = zip(sentences[:half], sentences[half:], strict=True)
        for a, b in sides:
            seen[question].append((a, b) if question == "label" else tuple(sorted((a, b))))
    for part in data.training:
        expected = [
            tuple(sides) if part.question == "label" else tuple(sorted(sides))
            for sides in part.pairs.tolist()
        ]
        assert sorted(seen[part.question]) == sorted(expected)
    assert read(1) != first
    assert read(0) == first


def test_only_the_order_of_pairs_whose_order_means_nothing_changes() -> None:
    scores = [pair(a, f"the {b}", 1.0, "score") for a in WORDS for b in WORDS]
    data = make_data(TABLE, scores, 0.0, 0)
    batches = PairBatches(data, 32, seed=0)
    batches.start_epoch(0)
    firsts = batches.batch(0).sentences[:25]
    own = set(data.training[0].pairs[:, 0].tolist())
    assert 0 < sum(first in own for first in firsts.tolist()) < 25
