import random
from collections import Counter
from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import CorpusTexts
from pocketintent_lab.training.terms import pipeline
from pocketintent_lab.training.terms.pipeline import extract_terms
from pocketintent_lab.training.terms.settings import TermSettings

SUBJECTS = ["neural network", "random forest", "decision tree", "support vector machine"]


VERBS = ["learns", "beats", "uses", "needs"]


NOUNS = ["data", "noise", "speed", "labels", "memory", "models"]


QUICK = TermSettings(min_count=3)


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    rng = random.Random(3)
    return [
        f"The {rng.choice(SUBJECTS)} {rng.choice(VERBS)} the {rng.choice(NOUNS)} of a "
        f"{rng.choice(SUBJECTS)}, and we {rng.choice(VERBS)} a {rng.choice(NOUNS)}."
        for _ in range(300)
    ]


def test_the_terms_of_a_corpus_are_found_and_nothing_else(sentences: list[str]) -> None:
    terms = extract_terms(sentences, QUICK)
    assert {term.term for term in terms} >= set(SUBJECTS)
    assert not any(word in term.term.split() for term in terms for word in ("the", "a", *VERBS))
    counts = {s: sum(text.count(s) for text in sentences) for s in SUBJECTS}
    assert {t.term: t.count for t in terms}.items() >= counts.items()
    assert terms == sorted(terms, key=lambda term: (-term.score, term.term))


def test_a_phrase_that_only_occurs_in_a_longer_one_is_no_term(sentences: list[str]) -> None:
    terms = {term.term for term in extract_terms(sentences, QUICK)}
    assert "support vector machine" in terms
    assert not terms & {"support vector", "vector machine"}


def test_min_length_1_includes_single_words(sentences: list[str]) -> None:
    terms = {t.term for t in extract_terms(sentences, TermSettings(min_length=1, min_count=3))}
    assert terms >= {"noise", "labels", "neural network"}
    assert not terms & {"the", "of", "we", *VERBS}


def test_the_result_does_not_depend_on_the_order_of_the_texts(sentences: list[str]) -> None:
    assert extract_terms(sentences, QUICK) == extract_terms(sentences, QUICK)
    assert extract_terms(sentences[::-1], QUICK) == extract_terms(sentences, QUICK)


def test_frequent_terms_survive_a_table_that_is_too_small(sentences: list[str]) -> None:
    rng = random.Random(5)
    letters = "abcdefghij"
    noise = [
        f"the {''.join(rng.choices(letters, k=2))} {rng.choice(NOUNS)} of it" for _ in range(900)
    ]
    texts = [text for pair in zip(sentences * 3, noise, strict=True) for text in pair]
    lines: list[str] = []
    small = TermSettings(min_count=1, min_cohesion=0, max_phrases=60)
    terms = {term.term for term in extract_terms(texts, small, report=lines.append)}
    assert terms >= set(SUBJECTS)
    assert any("counts may be up to" in line and "--max-phrases" in line for line in lines)


def test_a_corpus_on_disk_is_streamed_twice(tmp_path: Path, sentences: list[str]) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(sentences))
    assert extract_terms(CorpusTexts([path]), QUICK) == extract_terms(sentences, QUICK)


def test_progress_is_reported(sentences: list[str]) -> None:
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "_REPORT_EVERY", 100)
        extract_terms(sentences, QUICK, report=lines.append)
    assert lines[0] == "counting words: 100 texts"
    assert "counting phrases: 300 texts" in lines


def test_an_iterator_is_rejected(sentences: list[str]) -> None:
    with pytest.raises(PocketIntentError, match="read twice"):
        extract_terms(iter(sentences))


@pytest.mark.parametrize("texts", [[], ["", " \n"], ["one two three"]])
def test_a_corpus_without_frequent_words_is_rejected(texts: list[str]) -> None:
    with pytest.raises(PocketIntentError, match="no word that occurs 5 times"):
        extract_terms(texts)


def test_errors_name_bad_bytes_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"good line\nbad \xff line\n")
    with pytest.raises(PocketIntentError, match=r"corpus\.txt, line 2: not UTF-8"):
        extract_terms(CorpusTexts([path]))
    with pytest.raises(PocketIntentError, match=r"none\.txt: cannot be read"):
        extract_terms(CorpusTexts([tmp_path / "none.txt"]))


@pytest.mark.parametrize(
    "change",
    [
        {"min_length": 0},
        {"min_length": 5},
        {"min_count": 0},
        {"max_terms": 0},
        {"min_cohesion": float("nan")},
        {"min_cohesion": 1.5},
        {"cohesion_power": -1.0},
        {"cohesion_power": float("inf")},
        {"max_words": 1},
        {"max_phrases": 0},
    ],
    ids=str,
)
def test_settings_out_of_range_are_rejected(change: dict[str, float]) -> None:
    with pytest.raises(PocketIntentError, match=next(iter(change))):
        extract_terms(["text"], TermSettings(**change))  # type: ignore[arg-type]


def test_the_best_terms_of_the_technical_corpus_are_its_subjects(data_dir: Path) -> None:
    texts = []
    for number, text in enumerate(CorpusTexts([data_dir / "corpus/technical.txt.gz"])):
        if number == 15_000:
            break
        texts.append(text)
    best = [term.term for term in extract_terms(texts)[:60]]
    assert {"nash equilibrium", "machine learning", "information retrieval"} <= set(best)
    edges = Counter(word for term in best for word in (term.split()[0], term.split()[-1]))
    assert not edges.keys() & {"the", "of", "show", "using", "based", "new", "many"}
