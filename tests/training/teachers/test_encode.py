from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.encode import encode_texts
from pocketintent.training.teachers.targets import to_text

TEXTS = ["turn on the light", "light", "play_music", "", "unknown", "hello", "open the door"] * 5


class Counting:
    """An encoder that records the texts it gets, and stops after a number of batches."""

    def __init__(self, encoder: Any, batches: int = 1 << 30) -> None:
        self.dim = encoder.dim
        self.encode = encoder.encode
        self.batches_seen: list[list[str]] = []
        self._encoder = encoder
        self._left = batches

    def encode_batch(self, texts: Sequence[str]) -> Any:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        self.batches_seen.append(list(texts))
        return self._encoder.encode_batch(texts)


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_vectors_are_in_the_order_of_the_texts(
    tiny_encoder: StaticEncoder, tiny_model: Path, tmp_path: Path, batch_size: int
) -> None:
    expected = np.stack([tiny_encoder.encode(to_text(text)) for text in TEXTS])
    for teacher in (tiny_encoder, tiny_model, str(tiny_model)):
        for cache in (None, tmp_path / f"{type(teacher).__name__}{batch_size}"):
            encoded = encode_texts(teacher, TEXTS, batch_size, cache=cache)
            assert encoded.terms == TEXTS
            np.testing.assert_array_equal(encoded.vectors, expected)


def test_a_batch_has_texts_of_similar_length(tiny_encoder: StaticEncoder) -> None:
    teacher = Counting(tiny_encoder)
    texts = ["light " * (number * 7 % 20) for number in range(20)]
    encode_texts(teacher, texts, 5)
    spans = [max(map(len, batch)) - min(map(len, batch)) for batch in teacher.batches_seen]
    assert spans == [4 * len("light ")] * 4


def test_a_stopped_run_continues_from_the_cache(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    with pytest.raises(KeyboardInterrupt):
        encode_texts(Counting(tiny_encoder, 20), TEXTS, 1, cache=cache)
    with cache.open("ab") as file:
        file.write(b"cut")  # an incomplete row
    again = Counting(tiny_encoder)
    done: list[tuple[int, int]] = []
    encoded = encode_texts(again, TEXTS, 1, cache=cache, progress=lambda *step: done.append(step))
    # A batch of texts is encoded again, to check that the teacher is the same.
    assert len(again.batches_seen) == 1 + len(TEXTS) - 16
    assert done[-1] == (len(TEXTS), len(TEXTS))
    np.testing.assert_array_equal(encoded.vectors, encode_texts(tiny_encoder, TEXTS).vectors)
    whole = Counting(tiny_encoder)
    encode_texts(whole, TEXTS, 1, cache=cache)
    assert len(whole.batches_seen) == 1


def test_a_cache_of_other_texts_or_another_teacher_is_rejected(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    cache.write_bytes(b'{"vec')  # a run that was stopped as it started the file
    encode_texts(tiny_encoder, TEXTS, cache=cache)
    with pytest.raises(PocketIntentError, match="of other texts"):
        encode_texts(tiny_encoder, TEXTS[1:], cache=cache)
    words = tiny_encoder.words.decode()[::-1].copy()
    other = StaticEncoder(tiny_encoder.vocabulary, type(tiny_encoder.words)(words))
    with pytest.raises(PocketIntentError, match="of another teacher; delete it"):
        encode_texts(other, TEXTS, cache=cache)
    with pytest.raises(PocketIntentError, match="cannot be used as a cache"):
        encode_texts(tiny_encoder, TEXTS, cache=tmp_path / "none" / "cache")


class Cutting(Counting):
    """An encoder that reads the first characters of a text."""

    def encode_batch(self, texts: Sequence[str]) -> Any:
        return super().encode_batch([text[:12] for text in texts])


@pytest.mark.parametrize("place", [0, 17, 39])
def test_a_teacher_that_differs_in_the_longest_text_alone_is_rejected(
    tiny_encoder: StaticEncoder, tmp_path: Path, place: int
) -> None:
    cache = tmp_path / "cache"
    texts = ["light"] * 40
    texts[place] = "turn on the light"
    encode_texts(Cutting(tiny_encoder), texts, cache=cache)
    with pytest.raises(PocketIntentError, match="with other settings or of another teacher"):
        encode_texts(tiny_encoder, texts, cache=cache)


def test_a_teacher_that_differs_in_later_texts_is_rejected(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    encode_texts(tiny_encoder, ["unknown", *["light"] * 20], cache=cache)
    words = tiny_encoder.words.decode()[::-1].copy()
    other = StaticEncoder(tiny_encoder.vocabulary, type(tiny_encoder.words)(words))
    with pytest.raises(PocketIntentError, match="of another teacher"):
        encode_texts(other, ["unknown", *["light"] * 20], cache=cache)


def test_no_texts_a_bad_batch_size_and_nan_are_rejected(tiny_encoder: StaticEncoder) -> None:
    with pytest.raises(PocketIntentError, match="no texts"):
        encode_texts(tiny_encoder, [])
    with pytest.raises(PocketIntentError, match="batch size must be 1 or more"):
        encode_texts(tiny_encoder, ["a"], 0)
    broken = Counting(tiny_encoder)
    broken.encode_batch = lambda texts: np.full((len(texts), tiny_encoder.dim), np.nan)  # type: ignore[method-assign]
    with pytest.raises(PocketIntentError, match="vector of 'play music' is not finite"):
        encode_texts(broken, ["play_music"])


def test_underscores_of_a_term_become_spaces() -> None:
    assert to_text("machine_learning") == "machine learning"
    assert to_text("the file my_file.txt") == "the file my_file.txt"
    assert to_text("_") == "_"
