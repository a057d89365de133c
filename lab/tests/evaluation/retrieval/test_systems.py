import math
from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.evaluation.retrieval.data import Document, Question, RetrievalData
from pocketintent_lab.evaluation.retrieval.recall import recall

DOCUMENTS = ["the lamp is on the table", "the jazz band plays jazz", "pizza and pasta", "a door"]
QUESTIONS = ["who plays jazz", "is the lamp on", "zzz"]


def make_data(num_titles: int = 10) -> RetrievalData:
    documents = [Document(f"title {n // 2}", f"text {n}") for n in range(2 * num_titles)]
    return RetrievalData(documents, [Question(f"q {n}", (n,)) for n in range(len(documents))])


def test_recall_counts_questions_with_a_relevant_document_in_front() -> None:
    scores = np.array([[0.9, 0.1, 0.5, 0.4], [0.1, 0.2, 0.3, 0.4], [1, 1, 1, 1]], np.float32)
    questions = [Question("", (0,)), Question("", (0, 1)), Question("", (3,))]
    assert recall(scores, questions) == {
        "recall@1": round(1 / 3, 4),
        "recall@3": round(2 / 3, 4),
        "recall@5": 1.0,
    }


def test_a_split_has_no_title_in_two_parts_and_keeps_the_questions_with_their_document() -> None:
    data = make_data()
    parts = data.split(seed=3)
    titles = {part: {d.title for d in value.documents} for part, value in parts.items()}
    assert [len(titles[part]) for part in ("train", "valid", "test")] == [5, 2, 3]
    assert len(set.union(*titles.values())) == 10
    for value in parts.values():
        for question in value.questions:
            (number,) = question.relevant
            assert value.documents[number].text == question.text.replace("q", "text")
    assert data.split(seed=3) == parts
    assert data.split(seed=4) != parts
    with pytest.raises(PocketIntentError, match="requires at least 4"):
        make_data(3).split()


def test_bm25_and_tfidf() -> None:
    pytest.importorskip("sklearn")
    from pocketintent_lab.evaluation.retrieval.lexical import K1, B, score_bm25, score_tfidf

    bm25, tfidf = score_bm25(DOCUMENTS, QUESTIONS), score_tfidf(DOCUMENTS, QUESTIONS)
    for scores in (bm25, tfidf):
        assert scores.shape == (3, 4) and scores.dtype == np.float32
        assert scores[:2].argmax(axis=1).tolist() == [1, 0]
        assert not scores[2].any()
    share = K1 * (1 - B + B * 5 / np.mean([6, 5, 3, 2]))
    idf = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    expected = idf * (2 * (K1 + 1) / (2 + share) + (K1 + 1) / (1 + share))
    assert bm25[0, 1] == pytest.approx(expected, rel=1e-5)


def test_networks_are_trained_and_move_the_texts(tiny_model: Path) -> None:
    pytest.importorskip("torch")
    from pocketintent_lab.evaluation.retrieval.embeddings import (
        Networks,
        Sources,
        embed_part,
        measure_embedding,
    )
    from pocketintent_lab.training.convrr.settings import ConvrrSettings
    from pocketintent_lab.training.multires.encoder import MultiResolutionEncoder
    from pocketintent_lab.training.multires.settings import Ensemble, Mixture

    texts = ["turn on the light", "play some jazz music", "order a pizza", "close the door"]
    documents = [Document(text, text) for text in texts]
    questions = [Question(w, (n,)) for n, w in enumerate(["lamp", "hear song", "hungry", "gate"])]
    data = RetrievalData(documents, questions)
    encoder = MultiResolutionEncoder(Ensemble((Mixture(str(tiny_model)),)), None, Sources())
    part = embed_part(data, encoder)
    assert part.texts.is_query.tolist() == [False] * 4 + [True] * 4
    settings = ConvrrSettings(width=3, epochs=6, learning_rate=0.05, scale=0.5)
    networks = Networks(("none", "fcrr", "convrr"), settings)
    gaps = {}
    for name in networks.names:
        scores = part.scores(networks.move(name, part.texts, part.texts))
        gaps[name] = float(np.diag(scores).mean() - scores.mean())
    assert min(gaps["fcrr"], gaps["convrr"]) > gaps["none"]
    parts = {"train": data, "valid": data, "test": data}
    measured = list(measure_embedding(encoder, parts, "test", networks))
    assert [one.row["network"] for one in measured] == list(networks.names)
    assert all(one.row["recall@5"] == 1 and one.row["dim"] == 32 for one in measured)
    np.testing.assert_array_equal(measured[0].questions, part.texts.bases[4:])


def test_sources_are_opened_once_and_layers_kept(tiny_model: Path) -> None:
    from pocketintent_lab.evaluation.retrieval.embeddings import KeptSource, Sources

    sources = Sources()
    assert sources(str(tiny_model)) is sources(str(tiny_model))

    class Layers:
        num_layers, dim = 2, 3
        texts = 0

        def read(self, token_lists):  # type: ignore[no-untyped-def]
            for tokens in token_lists:
                self.texts += 1
                yield np.full((2, len(tokens), 3), len(tokens), np.float32)

    kept = KeptSource(source := Layers())
    for _ in range(2):
        shapes = [layers.shape for layers in kept.read([["a"], ["a", "b"], ["a"]])]
        assert shapes == [(2, 1, 3), (2, 2, 3), (2, 1, 3)]
    assert source.texts == 2


def test_the_picture_of_the_questions(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    from pocketintent_lab.evaluation.retrieval.tsne_plot import plot_questions

    vectors = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
    questions = [Question("", (number // 2,)) for number in range(8)]
    path = tmp_path / "questions.png"
    plot_questions({"plain": vectors, "moved": vectors + 1}, questions, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(PocketIntentError, match="at least 5 questions"):
        plot_questions({"plain": vectors[:4]}, questions[:4], path)
