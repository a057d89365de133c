import numpy as np
import pytest

torch = pytest.importorskip("torch")
from models.random_transformers import piece_table, random_transformer  # noqa: E402
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder  # noqa: E402
from pocketintent.training.corpora.word_counts import CountedVocabulary  # noqa: E402
from pocketintent.training.teachers.targets import TargetTexts, TextData  # noqa: E402
from pocketintent.training.transformer.objective import TransformerTraining  # noqa: E402
from pocketintent.training.transformer.settings import TransformerSettings  # noqa: E402


def test_texts_keep_their_order_whatever_their_lengths() -> None:
    table = piece_table()
    network = random_transformer(table.dim, np.random.default_rng(1))
    encoder = TransformerEncoder(table, network)
    rng = np.random.default_rng(2)
    lengths = rng.integers(1, 12, 150)
    ids = rng.integers(0, len(table.vocabulary), int(lengths.sum()))
    offsets = np.append(0, lengths.cumsum())
    targets = np.zeros((len(lengths), table.dim), np.float32)
    texts = TargetTexts(ids, offsets, targets)
    words = CountedVocabulary(table.vocabulary.words, np.ones(len(table.vocabulary), np.int64))
    data = TextData(words, texts, texts.take(np.arange(0)))
    task = TransformerTraining(data, TransformerSettings(batch_words=200), encoder)
    found = task.encode_texts(texts)
    names = np.array(table.vocabulary.words)
    for row in (0, 70, 149):
        tokens = names[ids[offsets[row] : offsets[row + 1]]].tolist()
        vector = encoder.reader.read_vectors(table.embed_tokens(tokens))
        np.testing.assert_allclose(found[row], vector / np.linalg.norm(vector), atol=1e-5)
