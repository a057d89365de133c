from collections.abc import Sequence

import numpy as np

from pocketintent.evaluation.similarity.batches import encode_in_batches
from pocketintent.runtime.arrays import FloatArray


class Lengths:
    """Gives a text its length, and notes the batches."""

    template_quantizer = background = known_words = None
    dim = 1

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def encode(self, text: str) -> FloatArray:
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        self.batches.append([len(text) for text in texts])
        return np.array([[len(text)] for text in texts], np.float32)


def test_texts_of_similar_length_are_encoded_together_and_keep_their_order() -> None:
    lengths = np.random.default_rng(1).permutation(150)
    encoder = Lengths()
    vectors = encode_in_batches(encoder, ["x" * length for length in lengths])
    assert vectors.dtype == np.float32
    assert vectors[:, 0].tolist() == lengths.tolist()
    assert [len(batch) for batch in encoder.batches] == [64, 64, 22]
    assert [length for batch in encoder.batches for length in batch] == list(range(150))
