import numpy as np
import pytest

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.finish.pipeline import finish_encoder
from pocketintent.training.finish.pooling import Sentences
from pocketintent.training.finish.settings import FinishSettings

WORDS = ["the", "to", "transfer", "transferred", "money", "send", "weather", "rain", "card"]
COUNTS = np.array([5000, 3000, 50, 3, 40, 30, 20, 10, 5])


@pytest.fixture
def trained() -> StaticEncoder:
    vectors = np.random.default_rng(3).standard_normal((len(WORDS), 16), dtype=np.float32)
    return StaticEncoder(Vocabulary(WORDS), DenseMatrix(vectors), counts=COUNTS)


def vector(encoder: StaticEncoder, word: str) -> np.ndarray:
    return encoder.embed_tokens([word])[0]


def cosine(encoder: StaticEncoder, a: str, b: str) -> float:
    x, y = vector(encoder, a), vector(encoder, b)
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def test_words_that_look_alike_move_closer(trained: StaticEncoder) -> None:
    settings = FinishSettings(trained_dim=0, subword_dim=256)
    finished = finish_encoder(trained, settings)
    plain = finish_encoder(trained, FinishSettings(trained_dim=0, subword_dim=0))
    gain = cosine(finished, "transfer", "transferred") - cosine(plain, "transfer", "transferred")
    other = cosine(finished, "transfer", "weather") - cosine(plain, "transfer", "weather")
    assert gain > 0.1
    assert gain > other + 0.1


def test_an_unknown_word_is_nearest_to_the_word_of_similar_spelling(trained: StaticEncoder) -> None:
    finished = finish_encoder(trained, FinishSettings(trained_dim=0, subword_dim=256))
    near = {word: cosine(finished, "wheather", word) for word in WORDS}
    assert max(near, key=lambda word: near[word]) == "weather"


def test_an_unknown_word_is_about_as_long_as_the_n_gram_part_of_rare_words(
    trained: StaticEncoder,
) -> None:
    finished = finish_encoder(trained, FinishSettings(trained_dim=0, subword_dim=256))
    subwords = np.linalg.norm(finished.words.decode()[:, 16:], axis=1)
    unknown = np.linalg.norm(vector(finished, "carding"))
    assert 0.4 < unknown / subwords[-3:].mean() < 2.5


def test_subword_scale_sets_the_length_of_the_n_gram_part(trained: StaticEncoder) -> None:
    finished = finish_encoder(
        trained, FinishSettings(trained_dim=0, subword_dim=32, subword_scale=0.7)
    )
    rows = finished.words.decode()
    share = np.linalg.norm(rows[:, 16:], axis=1) / np.linalg.norm(rows[:, :16], axis=1)
    np.testing.assert_allclose(share, 0.7, rtol=1e-5)


def test_frequent_words_weigh_less(trained: StaticEncoder) -> None:
    options = dict(trained_dim=0, subword_dim=0, norm_power=1.0)
    with_weights = finish_encoder(trained, FinishSettings(**options, frequency_weight=1e-3))
    share = COUNTS / COUNTS.sum()
    weight = 1e-3 / (1e-3 + share)
    mass = share * weight**2
    vectors = trained.words.decode()
    expected = (vectors - mass @ vectors / mass.sum()) * weight[:, None]
    np.testing.assert_allclose(with_weights.words.decode(), expected, rtol=1e-4, atol=1e-6)


def test_a_norm_power_of_zero_gives_all_words_equal_length(trained: StaticEncoder) -> None:
    factors = np.arange(1, 10, dtype=np.float32)[:, None]
    scaled = trained.replace(words=DenseMatrix(trained.words.decode() * factors))
    settings = FinishSettings(trained_dim=0, subword_dim=0, norm_power=0.0)
    one, other = (finish_encoder(e, settings).words.decode() for e in (trained, scaled))
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_principal_components_preserve_vectors_of_lower_rank() -> None:
    rng = np.random.default_rng(1)
    flat = rng.standard_normal((len(WORDS), 3)) @ rng.standard_normal((3, 16))
    encoder = StaticEncoder(Vocabulary(WORDS), DenseMatrix(flat.astype(np.float32)), counts=COUNTS)
    options = dict(subword_dim=0, norm_power=1.0, frequency_weight=0.0)
    whole = finish_encoder(encoder, FinishSettings(**options, trained_dim=0)).words.decode()
    cut = finish_encoder(encoder, FinishSettings(**options, trained_dim=3)).words.decode()
    assert cut.shape == (len(WORDS), 3)
    np.testing.assert_allclose(cut @ cut.T, whole @ whole.T, rtol=1e-3, atol=1e-3)


def test_the_seed_determines_the_model(trained: StaticEncoder) -> None:
    def rows(seed: int) -> np.ndarray:
        return finish_encoder(trained, FinishSettings(seed=seed)).words.decode()

    np.testing.assert_array_equal(rows(1), rows(1))
    assert (rows(1) != rows(2)).any()


def test_bad_settings_and_unsuitable_models_are_rejected(trained: StaticEncoder) -> None:
    with pytest.raises(PocketIntentError, match="subword_scale must be at least 0"):
        finish_encoder(trained, FinishSettings(subword_scale=-1.0))
    with pytest.raises(PocketIntentError, match="min_n must be at least 1 and at most max_n"):
        finish_encoder(trained, FinishSettings(min_n=4, max_n=3))
    finished = finish_encoder(trained, FinishSettings())
    with pytest.raises(PocketIntentError, match="finished already; finish the model it was made"):
        finish_encoder(finished, FinishSettings())
    with_ngrams = finished.replace(manifest={})
    with pytest.raises(PocketIntentError, match=r"n-grams already.*--subword-dim 0 --norm-power 1"):
        finish_encoder(with_ngrams, FinishSettings())
    with pytest.raises(PocketIntentError, match=r"not 0\.5 \(--norm-power 1\)"):
        finish_encoder(with_ngrams, FinishSettings(subword_dim=0))
    with pytest.raises(PocketIntentError, match="no word counts"):
        finish_encoder(trained.replace(counts=None), FinishSettings())


def test_words_are_counted_by_the_models_tokenizer(trained: StaticEncoder) -> None:
    texts = ["The weather, the RAIN!", "", "unheard of", "transfer the money"]
    counts = dict(zip(WORDS, Sentences(trained, texts).count_words(), strict=True))
    assert (counts["the"], counts["weather"], counts["transferred"]) == (3, 1, 0)
    assert sum(counts.values()) == 7


def test_a_corpus_without_a_word_of_the_model_is_rejected(trained: StaticEncoder) -> None:
    with pytest.raises(PocketIntentError, match="no word of the model"):
        Sentences(trained, ["lorem ipsum"]).count_words()


def test_the_whole_of_a_long_text_is_counted(trained: StaticEncoder) -> None:
    text = " ".join([*["lorem"] * 2000, WORDS[0]])
    assert len(text) > 4096
    assert Sentences(trained, [text]).count_words()[0] == 1
    (ids, lengths), *_ = Sentences(trained, [text]).blocks()
    assert (ids.tolist(), lengths.tolist()) == ([0], [1])
