from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.encoded import EncodedCorpus
from pocketintent_lab.training.glove import counting
from pocketintent_lab.training.glove.data import PairBatches, prepare_counts
from pocketintent_lab.training.glove.settings import GloveSettings

MakeCorpus = Callable[..., EncodedCorpus]
NUM_WORDS = 40
SMALL = GloveSettings(window=3, batch_size=16, memory=1)


@pytest.fixture(scope="module")
def corpus(make_corpus: MakeCorpus) -> EncodedCorpus:
    rng = np.random.default_rng(0)
    return make_corpus([[rng.integers(0, NUM_WORDS, 8).tolist()] for _ in range(60)])


def prepared(corpus: EncodedCorpus, folder: Path, settings: GloveSettings = SMALL) -> list[str]:
    folder.mkdir()
    lines: list[str] = []
    prepare_counts(corpus, NUM_WORDS, folder, settings, lines.append)
    return lines


def pairs_of_epoch(batches: PairBatches, epoch: int) -> list[tuple[int, int, float]]:
    batches.start_epoch(epoch)
    parts = [batches.batch(number) for number in range(len(batches))]
    return [
        pair
        for part in parts
        for pair in zip(part.one.tolist(), part.other.tolist(), part.counts.tolist(), strict=True)
    ]


def test_an_epoch_has_every_pair_once_in_an_order_of_its_own(
    corpus: EncodedCorpus, tmp_path: Path
) -> None:
    prepared(corpus, tmp_path / "a")
    batches = PairBatches(tmp_path / "a", SMALL)
    epochs = [pairs_of_epoch(batches, epoch) for epoch in (0, 1, 0)]
    assert epochs[0] == epochs[2] != epochs[1]
    assert sorted(epochs[0]) == sorted(epochs[1])
    assert len({pair[:2] for pair in epochs[0]}) == len(epochs[0]) == batches.words_per_epoch
    total = sum(count * (1 if one == other else 2) for one, other, count in epochs[0])
    assert total == pytest.approx(60 * 2 * (7 + 6 / 2 + 5 / 3), rel=1e-5)
    ranks = np.argsort([pair[0] * NUM_WORDS + pair[1] for pair in epochs[0]])
    assert abs(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1]) < 0.2  # shuffled


def test_counts_from_disk_are_those_from_memory_in_the_same_order(
    corpus: EncodedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert prepared(corpus, tmp_path / "a") == ["counting pairs of words"]
    monkeypatch.setattr(counting, "_BYTES_PER_PAIR", 10_000)
    lines = prepared(corpus, tmp_path / "b")
    assert "the counts outgrew --memory" in lines[1]
    contents = [(tmp_path / name / "counts.bin").read_bytes() for name in "ab"]
    assert contents[0] == contents[1]
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["counts.bin"]


def test_a_seed_gives_one_order(corpus: EncodedCorpus, tmp_path: Path) -> None:
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        prepared(corpus, tmp_path / name, GloveSettings(window=3, seed=seed))
        contents.append((tmp_path / name / "counts.bin").read_bytes())
    assert contents[0] == contents[1] != contents[2]


def test_counts_are_made_once(corpus: EncodedCorpus, tmp_path: Path) -> None:
    prepared(corpus, tmp_path / "a")
    lines: list[str] = []
    prepare_counts(corpus, NUM_WORDS, tmp_path / "a", SMALL, lines.append)
    assert lines == []


def test_sentences_of_one_word_are_an_error(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="no sentence of two known words"):
        prepared(make_corpus([[[1]], [[2]]]), tmp_path / "a")
