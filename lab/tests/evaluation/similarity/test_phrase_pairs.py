from pathlib import Path

import pytest

from pocketintent_lab.evaluation.keyphrases.scoring import KeyphraseDocument, read_keyphrases
from pocketintent_lab.evaluation.similarity.phrase_pairs import pair_keyphrases

pytest.importorskip("nltk")

DOCUMENTS = [
    KeyphraseDocument("1", "", ("machine learning", "neural network", "gradient descent")),
    KeyphraseDocument("2", "", ("power law", "social networks", "random graph")),
]


def test_each_phrase_is_paired_within_and_across_documents() -> None:
    pairs = pair_keyphrases(DOCUMENTS)
    assert len(pairs) == 12
    for near, far in zip(pairs[::2], pairs[1::2], strict=True):
        assert near.a == far.a
        own, other = DOCUMENTS if near.a in DOCUMENTS[0].keyphrases else DOCUMENTS[::-1]
        assert (near.score, far.score) == (1.0, 0.0)
        assert near.b in own.keyphrases
        assert near.b != near.a
        assert far.b in other.keyphrases


def test_no_pair_shares_a_word_stem() -> None:
    for seed in range(20):
        phrases = {(pair.a, pair.b) for pair in pair_keyphrases(DOCUMENTS, seed)}
        assert ("neural network", "social networks") not in phrases


def test_phrases_without_partners_are_skipped() -> None:
    alone = [KeyphraseDocument("1", "", ("graph", "random graphs", "...", "")), DOCUMENTS[0]]
    pairs = pair_keyphrases(alone)
    assert {pair.a for pair in pairs} == set(DOCUMENTS[0].keyphrases)
    assert pair_keyphrases(DOCUMENTS[:1]) == []


def test_the_seed_fixes_the_pairs_of_real_documents(data_dir: Path) -> None:
    documents = read_keyphrases(data_dir / "terms" / "semeval2017.jsonl")[:40]
    pairs = pair_keyphrases(documents)
    assert len(pairs) > 400
    assert sum(pair.score for pair in pairs) == len(pairs) / 2
    assert pair_keyphrases(documents) == pairs
    assert pair_keyphrases(documents, seed=1) != pairs
