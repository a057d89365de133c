from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.training.corpora.encoded import (
    EncodedCorpus,
    cut,
    encode_corpus,
    load_prepared,
    prepare_corpus,
    ragged_ranges,
)
from pocketintent.training.corpora.reader import Text
from pocketintent.training.starspace.settings import StarSpaceSettings

LABELS = {"a": 0, "b": 1}
# Words are digits; 8 and 9 are not in the vocabulary.
SENTENCE = st.text("0123456789", max_size=6)
DOCUMENTS = st.lists(
    st.tuples(st.lists(SENTENCE, min_size=1, max_size=4), st.sampled_from(["a", "b", "c", None]))
)


def to_ids(sentence: str) -> list[int]:
    return [int(word) for word in sentence if word < "8"]


def encode(texts: Iterator[Text], folder: Path) -> EncodedCorpus:
    return encode_corpus(
        texts, to_ids, folder, split=lambda text: text.split("\t"), label_ids=LABELS
    )


def decode(corpus: EncodedCorpus) -> list[tuple[list[list[int]], int]]:
    """Documents of sentences of ids, each document with its label."""
    sentences = [part.tolist() for part in np.split(corpus.ids, corpus.sentences[1:-1])]
    ends = corpus.documents[1:]
    return [
        (sentences[first:end], label)
        for first, end, label in zip(
            corpus.documents[:-1].tolist(), ends.tolist(), corpus.labels.tolist(), strict=True
        )
    ]


@given(DOCUMENTS)
def test_documents_are_decoded_without_sentences_of_unknown_words(
    tmp_path_factory: pytest.TempPathFactory, documents: list[tuple[list[str], str | None]]
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    # A generator, which can be read once and has no length.
    texts = (Text("\t".join(parts), label) for parts, label in documents)
    expected = []
    for parts, label in documents:
        if sentences := [ids for part in parts if (ids := to_ids(part))]:
            expected.append((sentences, LABELS.get(label or "", -1)))
    corpus = encode(texts, folder)
    assert (decode(corpus) if expected else []) == expected
    assert len(corpus.documents) == len(expected) + 1
    again = EncodedCorpus.load(folder)
    for name in ("ids", "sentences", "documents", "labels"):
        one, other = getattr(corpus, name), getattr(again, name)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def test_a_corpus_without_known_words_is_empty(tmp_path: Path) -> None:
    corpus = encode(iter([Text("99"), Text("")]), tmp_path)
    assert [len(corpus.ids), len(corpus.labels)] == [0, 0]
    assert corpus.sentences.tolist() == corpus.documents.tolist() == [0]


def test_a_corpus_larger_than_a_block_is_complete_and_mapped(tmp_path: Path) -> None:
    texts = (Text(str(number % 8) * 7, "b") for number in range(20_000))
    corpus = encode(texts, tmp_path)
    assert isinstance(corpus.ids, np.memmap)
    assert not corpus.ids.flags.writeable
    assert corpus.ids.tolist() == [number % 8 for number in range(20_000) for _ in range(7)]
    assert corpus.sentences.tolist() == list(range(0, 140_001, 7))
    assert (corpus.labels == 1).all()


def test_an_error_of_the_reader_closes_the_files(tmp_path: Path) -> None:
    def texts() -> Iterator[Text]:
        yield Text("1")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        encode(texts(), tmp_path)
    encode(iter([Text("12")]), tmp_path)
    assert EncodedCorpus.load(tmp_path).ids.tolist() == [1, 2]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 5))))
def test_ragged_ranges_match_range(ranges: list[tuple[int, int]]) -> None:
    starts = np.array([start for start, _ in ranges], np.int64)
    lengths = np.array([length for _, length in ranges], np.int64)
    expected = [n for start, length in ranges for n in range(start, start + length)]
    assert ragged_ranges(starts, lengths).tolist() == expected


def test_a_corpus_joined_into_one_long_line_has_the_same_words(tmp_path: Path) -> None:
    lines = [f"the red light number {number}" for number in range(400)]
    ids = []
    for name, separator in (("lines", "\n"), ("line", " "), ("tabs", "\t")):
        corpus, folder = tmp_path / f"{name}.txt", tmp_path / name
        corpus.write_text(separator.join(lines))
        folder.mkdir()
        prepare_corpus([corpus], folder, StarSpaceSettings(min_count=1), lambda line: None)
        prepared = load_prepared(folder)
        ids.append((prepared.words.words, prepared.corpus.ids.tolist()))
    assert len(ids[0][1]) == 2000
    assert ids == ids[:1] * 3


@given(st.lists(st.integers(1, 40), min_size=1, max_size=200), st.integers(1, 100))
def test_batches_are_parts_of_the_order(lengths: list[int], batch_words: int) -> None:
    order = np.random.default_rng(0).permutation(len(lengths))
    batches = cut(order, np.array(lengths)[order], batch_words)
    assert np.concatenate(batches).tolist() == order.tolist()
    assert all(len(batch) for batch in batches)
    longest = max(lengths)
    assert all(sum(lengths[i] for i in batch) < batch_words + longest for batch in batches)


def test_a_batch_has_at_most_2048_texts() -> None:
    sizes = [len(batch) for batch in cut(np.arange(5000), np.ones(5000, np.int64), 10_000)]
    assert sum(sizes) == 5000
    assert max(sizes) <= 2048
