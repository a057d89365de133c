import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pocketintent.training.terms as terms_module
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.terms.extraction import CorpusTexts, extract_terms
from pocketintent.training.terms.files import HEADER, Term, load_terms, save_terms
from pocketintent.training.terms.joiner import TermJoiner, join_terms
from pocketintent.training.terms.settings import TermSettings

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


def test_a_phrase_that_only_stands_inside_a_longer_one_is_no_term(sentences: list[str]) -> None:
    found = {term.term for term in extract_terms(sentences, QUICK)}
    assert "support vector machine" in found
    assert not found & {"support vector", "vector machine"}


def test_single_words_are_terms_on_demand(sentences: list[str]) -> None:
    found = {t.term for t in extract_terms(sentences, TermSettings(min_length=1, min_count=3))}
    assert found >= {"noise", "labels", "neural network"}
    assert not found & {"the", "of", "we", *VERBS}


def test_the_result_depends_on_the_texts_alone(sentences: list[str]) -> None:
    assert extract_terms(sentences, QUICK) == extract_terms(sentences, QUICK)
    assert extract_terms(sentences[::-1], QUICK) == extract_terms(sentences, QUICK)


def test_frequent_terms_survive_a_table_that_is_too_small(sentences: list[str]) -> None:
    rng = random.Random(5)
    letters = "abcdefghij"
    noise = [
        f"the {''.join(rng.choices(letters, k=2))} {rng.choice(NOUNS)} of it" for _ in range(900)
    ]
    texts = [text for pair in zip(sentences * 3, noise, strict=True) for text in pair]
    said: list[str] = []
    small = TermSettings(min_count=1, min_cohesion=0, max_phrases=60)
    found = {term.term for term in extract_terms(texts, small, report=said.append)}
    assert found >= set(SUBJECTS)
    assert any("counts may be up to" in line and "--max-phrases" in line for line in said)


def test_a_corpus_on_disk_is_streamed_twice(tmp_path: Path, sentences: list[str]) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(sentences))
    assert extract_terms(CorpusTexts([path]), QUICK) == extract_terms(sentences, QUICK)


def test_progress_is_told_in_words(sentences: list[str]) -> None:
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms_module, "_REPORT_EVERY", 100)
        extract_terms(sentences, QUICK, report=said.append)
    assert said[0] == "counting words: 100 texts"
    assert "counting phrases: 300 texts" in said


def test_what_can_be_read_only_once_is_refused(sentences: list[str]) -> None:
    with pytest.raises(PocketIntentError, match="read twice"):
        extract_terms(iter(sentences))


@pytest.mark.parametrize("texts", [[], ["", " \n"], ["one two three"]])
def test_a_corpus_without_frequent_words_is_refused(texts: list[str]) -> None:
    with pytest.raises(PocketIntentError, match="no word that occurs 5 times"):
        extract_terms(texts)


def test_bad_bytes_and_missing_files_are_named(tmp_path: Path) -> None:
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
def test_settings_that_make_no_sense_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(PocketIntentError, match=next(iter(change))):
        extract_terms(["text"], TermSettings(**change))  # type: ignore[arg-type]


words = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=6)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)


@given(
    st.dictionaries(phrases, st.tuples(st.floats(0, 1e6), st.integers(1, 10**9)), max_size=8).map(
        lambda found: [Term(term, *values) for term, values in found.items()]
    )
)
def test_a_file_of_terms_gives_back_what_was_saved(
    tmp_path_factory: pytest.TempPathFactory, terms: list[Term]
) -> None:
    path = tmp_path_factory.mktemp("terms") / "terms.tsv"
    save_terms(path, terms)
    loaded = load_terms(path)
    assert [(t.term, t.count) for t in loaded] == [(t.term, t.count) for t in terms]
    assert [t.score for t in loaded] == pytest.approx([t.score for t in terms], rel=1e-5)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_from_an_editor_is_read(tmp_path: Path, end: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + end.join([HEADER, "a b\t1\t2", "", "c d\t0.5\t1"]).encode())
    assert load_terms(path) == [Term("a b", 1.0, 2), Term("c d", 0.5, 1)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"a b", "wanted 3 fields"),
        (b"a b\t1\t2\t3", "wanted 3 fields"),
        (b"\t1\t2", "separated by single spaces"),
        (b"a  b\t1\t2", "separated by single spaces"),
        (b"a b\tmuch\t2", "wanted a finite score"),
        (b"a b\tnan\t2", "wanted a finite score"),
        (b"a b\t1\t0", "count of 1 or more"),
        (b"a b\t1\t1.5", "count of 1 or more"),
        (b"x y\t1\t2", "'x y' is there twice"),
        (b"a \xff\t1\t2", "not UTF-8"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_bytes(HEADER.encode() + b"\nx y\t1\t2\n" + line + b"\n")
    with pytest.raises(PocketIntentError, match=rf"terms\.tsv, line 3: .*{message}"):
        load_terms(path)


@pytest.mark.parametrize("content", [b"", b"machine learning\n", b'{"term": 1}'])
def test_another_file_is_no_file_of_terms(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "terms.tsv"
    path.write_bytes(content)
    with pytest.raises(PocketIntentError, match=r"line 1: no file of terms"):
        load_terms(path)
    with pytest.raises(PocketIntentError, match="cannot be read"):
        load_terms(tmp_path / "none.tsv")


def test_the_longest_term_is_joined_first() -> None:
    terms = ["machine learning", Term("machine learning model", 1.0, 1), "learning model zoo"]
    tokens = ["a", "machine", "learning", "model", "zoo", "for", "machine", "learning"]
    joined = ["a", "machine_learning_model", "zoo", "for", "machine_learning"]
    assert join_terms(tokens, terms) == joined
    assert TermJoiner(terms).join(tokens) == joined
    assert join_terms(tokens, []) == tokens
    assert join_terms([], terms) == []


def test_terms_with_underscores_are_the_same_terms() -> None:
    assert join_terms(["a", "b", "c"], ["a_b"]) == ["a_b", "c"]


few = st.sampled_from("abc")
term_lists = st.lists(st.lists(few, min_size=1, max_size=4).map(" ".join), max_size=6)


@given(st.lists(few, max_size=20), term_lists)
def test_joining_is_leftmost_longest_and_loses_nothing(tokens: list[str], terms: list[str]) -> None:
    joined = join_terms(tokens, terms)
    assert [part for token in joined for part in token.split("_")] == tokens
    known = {tuple(term.split()) for term in terms if " " in term}
    place = 0
    for token in joined:
        rest = tokens[place:]
        fitting = [len(term) for term in known if tuple(rest[: len(term)]) == term]
        assert token.count("_") + 1 == max(fitting, default=1)
        place += token.count("_") + 1


def test_the_technical_corpus_gives_its_subjects_terms(data_dir: Path) -> None:
    texts = []
    for number, text in enumerate(CorpusTexts([data_dir / "corpus/technical.txt.gz"])):
        if number == 15_000:
            break
        texts.append(text)
    best = [term.term for term in extract_terms(texts)[:60]]
    assert {"nash equilibrium", "machine learning", "information retrieval"} <= set(best)
    edges = Counter(word for term in best for word in (term.split()[0], term.split()[-1]))
    assert not edges.keys() & {"the", "of", "show", "using", "based", "new", "many"}
