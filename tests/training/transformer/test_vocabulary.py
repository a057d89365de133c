from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.runtime.text.word_pieces import WordPieces
from pocketintent.training.transformer.vocabulary import choose_words

LETTERS = [*"aeginlprtyz", *(f"##{letter}" for letter in "aeginlprtyz")]
PIECES = ["play", "player", "##ing", "##er", "jazz", "unused", *LETTERS]
TEXTS = ["playing jazz", "playing", "player jazz play", "zither", "tiger tiger"]


def choose(max_words: int = 100, min_count: int = 3) -> tuple[list[str], Vocabulary]:
    words, lost = choose_words(TEXTS, PIECES, max_words=max_words, min_count=min_count)
    return words.words, Vocabulary(words.words, lost)


def test_words_of_the_texts_and_pieces_of_the_others_are_chosen() -> None:
    words, vocabulary = choose()
    split = WordPieces(vocabulary)
    assert split(["playing", "player", "jazz"]) == ["play", "##ing", "player", "jazz"]
    assert "unused" not in words  # no word of the texts, and none that makes one up
    assert {"a", "##a"} <= set(words)  # any word of these letters can be read


def test_frequent_words_are_words_of_their_own() -> None:
    assert "tiger" not in choose()[0]
    assert "tiger" in choose(min_count=2)[0]


def test_split_words_that_occur_twice_are_right() -> None:
    vocabulary = choose()[1]
    assert "tiger" in vocabulary.lost and "playing" in vocabulary.lost
    assert "zither" not in vocabulary.lost


def test_the_most_frequent_are_kept_and_single_characters_always() -> None:
    single = [piece for piece in PIECES if len(piece.removeprefix("##")) == 1]
    words, _ = choose(max_words=len(single) + 3)
    assert set(single) < set(words)
    assert len(words) == len(single) + 3
    assert "play" in words and "player" not in words


def test_the_counts_fall_and_are_those_of_the_pieces() -> None:
    words, _ = choose_words(TEXTS, PIECES, max_words=100, min_count=3)
    counts = dict(zip(words.words, words.counts.tolist(), strict=True))
    assert counts["play"] == 3 and counts["jazz"] == 2 and counts["player"] == 1
    assert list(words.counts) == sorted(words.counts, reverse=True)
