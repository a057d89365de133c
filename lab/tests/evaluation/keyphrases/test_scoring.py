import json
from pathlib import Path

import pytest

pytest.importorskip("nltk")
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.evaluation.keyphrases.bar_plot import plot_keyphrases
from pocketintent_lab.evaluation.keyphrases.scoring import (
    KeyphraseDocument,
    evaluate_keyphrases,
    normalise,
    read_keyphrases,
    score_rankings,
    select_split,
)
from pocketintent_lab.evaluation.keyphrases.systems import KEYPHRASE_SYSTEMS


def document(*keyphrases: str, name: str = "1") -> KeyphraseDocument:
    return KeyphraseDocument(name, "text", keyphrases)


def write(path: Path, rows: list[object]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_phrases_are_compared_by_stems_of_lower_case_words() -> None:
    assert normalise("Neural-Networks") == normalise("neural  network")
    assert normalise("networks neural") != normalise("neural networks")
    assert normalise(" - ") == ""


def test_precision_recall_and_f1_at_k_are_means_over_documents() -> None:
    documents = [document("neural networks", "trees"), document("forests", "a", "b", "c")]
    rankings = [["neural network", "Tree", "x"], ["x", "y"]]
    report = score_rankings(rankings, documents, (1, 2))
    assert report["1"] == pytest.approx({"precision": 0.5, "recall": 0.25, "f1": 1 / 3})
    assert report["2"] == pytest.approx({"precision": 0.5, "recall": 0.5, "f1": 0.5})


def test_equal_phrases_count_once_and_short_rankings_lose_precision() -> None:
    (scores,) = score_rankings(
        [["tree", "trees", "Tree"]], [document("trees", "tree")], (2,)
    ).values()
    assert scores == pytest.approx({"precision": 0.5, "recall": 1.0, "f1": 2 / 3})


def test_an_empty_ranking_scores_zero() -> None:
    assert score_rankings([[]], [document("a")], (5,))["5"] == {
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
    }


def test_documents_without_gold_phrases_are_skipped() -> None:
    report = score_rankings([["x"], ["a"]], [document(), document("a")], (1,))
    assert report["1"]["f1"] == 1.0
    with pytest.raises(PocketIntentError, match="no document has a keyphrase"):
        score_rankings([["x"]], [document()])


def test_the_split_is_fixed_and_covers_every_document_once() -> None:
    documents = [document(name=str(number)) for number in range(1000)]
    dev, test = select_split(documents, "dev"), select_split(documents, "test")
    assert [d.id for d in dev][:3] == ["0", "7", "8"]
    assert sorted(d.id for d in dev + test) == sorted(d.id for d in documents)
    assert 150 < len(dev) < 250
    assert select_split(documents, "all") == documents


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": 1, "text": "t", "keyphrases": []}, '"id" must be a string, found 1'),
        ({"id": "1", "keyphrases": []}, '"text" must be a string, found None'),
        ({"id": "1", "text": "t"}, '"keyphrases" must be a list'),
        ({"id": "1", "text": "t", "keyphrases": ["a", 2]}, '"keyphrases" must be a list'),
        ([], r"\[\] is not a JSON object"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, row: object, message: str) -> None:
    good = {"id": "0", "text": "t", "keyphrases": ["a"]}
    with pytest.raises(PocketIntentError, match=rf"d\.jsonl, line 2: {message}"):
        read_keyphrases(write(tmp_path / "d.jsonl", [good, row]))


def test_an_empty_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="no documents"):
        read_keyphrases(write(tmp_path / "d.jsonl", []))


def test_all_systems_are_measured_on_the_same_documents_and_plotted(tmp_path: Path) -> None:
    pytest.importorskip("yake")
    pytest.importorskip("sklearn")
    rows = [
        {
            "id": str(number),
            "text": f"The fast neural parser of number {number} reads the old grammar. "
            "A neural parser is a program.",
            "keyphrases": ["neural parsers"],
        }
        for number in range(12)
    ]
    path = write(tmp_path / "d.jsonl", rows)
    steps: list[str] = []
    report = evaluate_keyphrases(path, KEYPHRASE_SYSTEMS, split="all", progress=steps.append)
    assert (report["dataset"], report["documents"], report["keyphrases"]) == ("d", 12, 12)
    assert [row["system"] for row in report["results"]] == list(KEYPHRASE_SYSTEMS)
    assert len(steps) == 36
    for row in report["results"]:
        assert row["at"]["15"]["recall"] == 1.0
    assert report == evaluate_keyphrases(path, KEYPHRASE_SYSTEMS, split="all")
    pytest.importorskip("matplotlib")
    plot_keyphrases([report, report], tmp_path / "f1.png")
    assert (tmp_path / "f1.png").stat().st_size > 1000


def test_our_terms_beat_tfidf_on_real_documents(data_dir: Path) -> None:
    pytest.importorskip("sklearn")
    systems = {name: KEYPHRASE_SYSTEMS[name] for name in ("pocketintent", "tfidf")}
    report = evaluate_keyphrases(data_dir / "terms/semeval2017.jsonl", systems, split="dev")
    ours, tfidf = (row["at"]["10"]["f1"] for row in report["results"])
    assert ours > 1.3 * tfidf
