import numpy as np

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent_lab.training.teachers.concatenated import ConcatenatedEncoder


class Constant:
    """Gives the same vector to each text, and none to an empty text."""

    dim = 2

    def vocabulary(self) -> list[str]:
        return ["play", "stop", "play"]

    def encode_batch(self, texts: list[str]) -> np.ndarray:
        return np.array([[3.0, 4.0] if text else [0.0, 0.0] for text in texts], np.float32)


def test_a_cosine_is_the_mean_of_the_cosines_of_the_parts(tiny_encoder: StaticEncoder) -> None:
    encoder = ConcatenatedEncoder([tiny_encoder, Constant()])  # type: ignore[list-item]
    assert encoder.dim == tiny_encoder.dim + 2
    texts = ["turn on the light", "play music"]
    vectors = encoder.encode_batch(texts)
    plain = tiny_encoder.encode_batch(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert abs(vectors[0] @ vectors[1] - (plain[0] @ plain[1] + 1) / 2) < 1e-6
    np.testing.assert_array_equal(encoder.encode(texts[1]), vectors[1])
    assert not encoder.encode("").any()
    assert encoder.vocabulary() == ["play", "stop"]
