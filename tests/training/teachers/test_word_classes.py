import numpy as np

from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.teachers import word_classes
from pocketintent.training.teachers.word_classes import NUM_CLASSES, WordClasses, count_neighbours

NOUNS = [f"noun{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
VERBS = [f"verb{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def learn(texts: list[str], words: list[str], vectors: np.ndarray | None = None) -> WordClasses:
    rng = np.random.default_rng(0)
    if vectors is None:
        vectors = rng.standard_normal((len(words), 8)).astype(np.float32)
    return WordClasses.learn(texts, [simple_tokenize(text) for text in texts], words, vectors, rng)


def test_neighbours_are_counted_before_and_after() -> None:
    counts = count_neighbours([["the", "lamp", "is", "on"], ["the", "lamp"]], ["lamp", "is"])
    assert counts.shape == (2, 600)
    # `lamp` and `the` occur twice, and stand first in alphabetical order.
    assert counts[0, 1] == 2  # `the` before `lamp`
    assert counts[0, 300:].sum() == 1  # `is` after it
    assert counts[1, 0] == 1  # `lamp` before `is`


def test_words_between_the_same_neighbours_are_of_one_class() -> None:
    rng = np.random.default_rng(2)
    texts = []
    for _ in range(3000):
        noun, other = rng.choice(NOUNS, 2)
        texts.append(f"{rng.choice(['the', 'a', 'my'])} {noun} is near the {other}")
        texts.append(f"we {rng.choice(VERBS)} to {rng.choice(VERBS)} it")
    words = NOUNS + VERBS
    vectors = np.repeat(np.eye(2, 8, dtype=np.float32), len(NOUNS), axis=0)
    classes = learn(texts, [*words, "nounless"], np.concatenate([vectors, vectors[:1]]))
    assert classes.probabilities.shape == (len(words) + 1, NUM_CLASSES)
    np.testing.assert_allclose(classes.probabilities.sum(axis=1), 1, rtol=1e-5)
    alike = classes.probabilities @ classes.probabilities.T
    nouns, verbs = slice(0, len(NOUNS)), slice(len(NOUNS), len(words))
    assert alike[nouns, nouns].mean() > 1.5 * alike[nouns, verbs].mean()
    # A word that the texts lack is of the class that its vector and ending suggest.
    assert alike[-1, nouns].mean() > 1.5 * alike[-1, verbs].mean()


def test_few_words_have_no_classes() -> None:
    probabilities = learn(["the lamp is on"], ["lamp", "on"]).probabilities
    assert (probabilities == np.float32(1 / NUM_CLASSES)).all()


def test_names_are_capitals_within_sentences() -> None:
    texts = ["I fly to Rome. Flights are late: Late again", "are flights to Rome cheap"] * 10
    names = learn(texts, ["rome", "flights", "late"]).names
    assert names.tolist() == [1, 0, 0]


def test_names_that_the_texts_lack_are_predicted() -> None:
    texts = ["we go to Rome and Oslo by train and by ship"] * word_classes._LEAST_SEEN
    vectors = np.zeros((6, 8), np.float32)
    vectors[[0, 1, 2], 0] = 1
    vectors[[3, 4, 5], 1] = 1
    names = learn(texts, ["rome", "oslo", "paris", "train", "ship", "coach"], vectors).names
    assert names[2] > names[5]
