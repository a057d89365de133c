import argparse
import gzip
from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.intents import CORPORA, EMBEDDED, CachedEncoder, make_system
from pocketintent import PocketIntentError
from pocketintent.evaluation.intents.systems import EncoderSystem
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.static import StaticEncoder


def test_embeddings_are_read_from_disk_the_second_time(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    opened: list[int] = []

    def open_encoder() -> Encoder:
        opened.append(1)
        return tiny_encoder

    texts = ["turn on the light", "play music"]
    for _ in range(2):
        cached = CachedEncoder("tiny", tiny_encoder.dim, tmp_path, open_encoder)
        np.testing.assert_array_equal(cached.encode_batch(texts), tiny_encoder.encode_batch(texts))
    assert (len(opened), len(list(tmp_path.iterdir()))) == (1, 1)
    assert cached.encode("hello").shape == (cached.dim,)
    cached.encode_batch(["other"])
    assert (len(opened), len(list(tmp_path.iterdir()))) == (2, 2)


def test_an_unknown_system_is_refused_with_the_names(tmp_path: Path) -> None:
    args = argparse.Namespace(cache=tmp_path, model=None)
    with pytest.raises(PocketIntentError, match=r"unknown system 'rasa'; .*minilm"):
        make_system("rasa", args)


def test_another_encoder_gets_a_background_of_the_corpora(
    tiny_encoder: StaticEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["turn on the light", "hello", "could you play music please", "zzz yyy xxx"]
    (tmp_path / "corpus").mkdir()
    for name in CORPORA:
        content = gzip.compress("\n".join(lines).encode())
        (tmp_path / "corpus" / f"{name}.txt.gz").write_bytes(content)
    (tmp_path / "own.txt").write_text("order pizza please\n")
    monkeypatch.setitem(EMBEDDED, "minilm", (tiny_encoder.dim, lambda cache: tiny_encoder))
    args = argparse.Namespace(cache=tmp_path, data=tmp_path, corpus=None)
    for corpus, num_lines in ((None, 2), ([tmp_path / "own.txt"], 1)):
        args.corpus = corpus
        system = make_system("minilm", args)
        assert isinstance(system, EncoderSystem)
        assert system.encoder.background is not None
        assert len(system.encoder.background) == num_lines
