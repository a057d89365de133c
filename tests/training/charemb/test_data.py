import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.characters import UNKNOWN
from pocketintent.training.charemb.data import (
    CharBatches,
    CharEmbData,
    TargetTerms,
    make_batch,
    misspelt,
    read_terms,
)
from pocketintent.training.charemb.settings import CharEmbSettings

WORDS = [
    f"{a}{b}{c}"[: 1 + (i % 3)] + str(i) for i, (a, b, c) in enumerate(["abc", "de f"[:3]] * 60)
]


def terms_of(words: list[str], dim: int = 4) -> TargetTerms:
    vectors = np.random.default_rng(0).standard_normal((len(words), dim)).astype(np.float32)
    return read_terms(words, vectors, max_chars=12)


def test_terms_are_normalised_and_the_first_of_equal_terms_is_used() -> None:
    vectors = np.array([[3, 4], [1, 0], [0, 0], [0, 2], [1, 1]], np.float32)
    terms = read_terms(["New_York", "new york", "nothing", "É", "\0"], vectors, 32)
    assert terms.texts == ["new york", "é"]
    np.testing.assert_allclose(terms.directions, [[0.6, 0.8], [0, 1]], atol=1e-6)
    np.testing.assert_allclose(np.exp(terms.log_norms), [5, 2], rtol=1e-6)
    assert terms.ranks.tolist() == [0, 3]


def test_targets_that_cannot_be_learnt_are_named() -> None:
    with pytest.raises(PocketIntentError, match="vector of 'b' contains NaN"):
        read_terms(["a", "b"], np.array([[1.0], [np.nan]], np.float32), 8)
    with pytest.raises(PocketIntentError, match="1 usable terms of 2"):
        read_terms(["a", "A"], np.ones((2, 3), np.float32), 8)


def test_the_seed_decides_which_terms_are_kept_out() -> None:
    terms = terms_of(WORDS)
    data = CharEmbData.split(terms, CharEmbSettings(validation=0.25, min_char_count=1))
    assert (len(data.training), len(data.validation)) == (90, 30)
    assert not set(data.training.texts) & set(data.validation.texts)
    again = CharEmbData.split(terms, CharEmbSettings(validation=0.25, min_char_count=1))
    other = CharEmbData.split(terms, CharEmbSettings(validation=0.25, min_char_count=1, seed=1))
    assert again.validation.texts == data.validation.texts != other.validation.texts
    whole = CharEmbData.split(terms, CharEmbSettings(validation=0, min_char_count=1))
    assert (len(whole.training), len(whole.validation)) == (120, 0)


def test_rare_characters_become_the_unknown_character() -> None:
    data = CharEmbData.split(
        terms_of(["ab", "ac", "xxx"]), CharEmbSettings(validation=0, min_char_count=2)
    )
    assert data.vocabulary.characters == "a"
    with pytest.raises(PocketIntentError, match="no character is in 9 terms"):
        CharEmbData.split(terms_of(["ab", "cd"]), CharEmbSettings(min_char_count=9))


def batches_of(**options: object) -> CharBatches:
    changes: dict[str, object] = {"validation": 0, "batch_size": 16, "min_char_count": 1}
    settings = CharEmbSettings(**(changes | {"typing_errors": 0.0, "unknown": 0.0} | options))  # type: ignore[arg-type]
    data = CharEmbData.split(terms_of(WORDS), settings)
    return CharBatches(data.vocabulary, data.training, settings)


def test_an_epoch_has_each_term_once_and_batches_of_like_length() -> None:
    batches = batches_of()
    batches.start_epoch(0)
    epoch_batches = [batches.batch(number) for number in range(len(batches))]
    rows = np.concatenate([batch.rows for batch in epoch_batches])
    assert sorted(rows) == list(range(len(WORDS)))
    assert max(np.ptp(batch.lengths) for batch in epoch_batches) <= 1
    for batch in epoch_batches:
        for row, chars, length in zip(batch.rows, batch.chars, batch.lengths, strict=True):
            assert length == len(WORDS[row])
            assert (chars[:length] > 0).all()
            assert not chars[length:].any()


def test_a_batch_depends_on_epoch_and_number_alone() -> None:
    first, second = batches_of(typing_errors=0.8), batches_of(typing_errors=0.8)
    second.start_epoch(0)
    second.batch(0)
    for batches in (first, second):
        batches.start_epoch(3)
    np.testing.assert_array_equal(first.batch(2).chars, second.batch(2).chars)
    before = first.batch(2).rows.tolist()
    first.start_epoch(4)
    assert first.batch(2).rows.tolist() != before


def test_typing_errors_and_unknown_characters_have_their_shares() -> None:
    clean, wrong = batches_of(), batches_of(typing_errors=0.5)
    half = batches_of(unknown=0.5)
    changed = total = unknown = characters = 0
    for epoch in range(20):
        for batches in (clean, wrong, half):
            batches.start_epoch(epoch)
        for number in range(len(clean)):
            parts = [batches.batch(number) for batches in (clean, wrong)]
            texts = [[tuple(c[:n]) for c, n in zip(p.chars, p.lengths, strict=True)] for p in parts]
            changed += sum(a != b for a, b in zip(*texts, strict=True))
            total += len(texts[0])
            batch = half.batch(number)
            characters += batch.lengths.sum()
            inside = np.arange(batch.chars.shape[1]) < batch.lengths[:, None]
            unknown += (batch.chars[inside] == UNKNOWN).sum()
    assert 0.4 < changed / total < 0.55
    assert 0.4 < unknown / characters < 0.6


def test_frequent_terms_are_drawn_more_often_with_a_rank_power() -> None:
    batches = batches_of(rank_power=1.0)
    counts = np.zeros(len(WORDS))
    for epoch in range(30):
        batches.start_epoch(epoch)
        for number in range(len(batches)):
            np.add.at(counts, batches.batch(number).rows, 1)
    assert counts[:10].sum() > 3 * counts[50:].sum() / 7
    assert counts.sum() == 30 * len(WORDS)


def test_typing_errors_for_measuring_are_the_same_at_each_call() -> None:
    texts = ["turn", "lights"] * 20
    assert misspelt(texts, 0) == misspelt(texts, 0) != misspelt(texts, 1)
    assert misspelt(texts, 0, 2) != misspelt(texts, 0, 1)


def test_a_text_that_an_error_made_too_long_is_cut() -> None:
    vocabulary = CharEmbData.split(
        terms_of(["ab", "ba"]), CharEmbSettings(validation=0, min_char_count=1, max_chars=3)
    ).vocabulary
    assert make_batch(vocabulary, ["abab"], np.zeros(1, np.int64)).lengths.tolist() == [3]
