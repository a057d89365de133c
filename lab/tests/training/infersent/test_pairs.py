from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.infersent.pairs import Columns, LabelledPair, read_labelled_pairs

SNLI = """\
{"annotator_labels": ["neutral"], "gold_label": "neutral", "pairID": "1", "sentence1": "A man.", \
"sentence1_parse": "(ROOT)", "sentence2": "A cook."}
{"annotator_labels": ["neutral", "entailment"], "gold_label": "-", "sentence1": "x", "sentence2": \
"y"}
{"annotator_labels": ["entailment"], "gold_label": "entailment", "sentence1": "Q", "sentence2": "R"}
"""


def write(folder: Path, content: str, name: str = "pairs.jsonl") -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def answers(pairs: list[LabelledPair]) -> list[tuple[str, str | float]]:
    return [(pair.question, pair.answer) for pair in pairs]


def test_snli_is_read_without_the_pairs_whose_annotators_disagreed(tmp_path: Path) -> None:
    path = write(tmp_path, SNLI)
    pairs, skipped = read_labelled_pairs(path)
    assert skipped == 1
    assert answers(pairs) == [("label", "neutral"), ("label", "entailment")]
    assert (pairs[0].a, pairs[0].b) == ("A man.", "A cook.")
    assert pairs[1].place == f"{path}, line 3"


def test_the_name_of_the_column_decides_between_classes_and_scores(tmp_path: Path) -> None:
    same = write(tmp_path, '{"a": "x", "b": "y", "same": true}\n{"a": "x", "b": "z", "same": 0}\n')
    assert answers(read_labelled_pairs(same)[0]) == [("same", "true"), ("same", "0")]
    score = write(
        tmp_path, '{"a": "x", "b": "y", "score": 3.8}\n{"a": "x", "b": "z", "score": 5}\n'
    )
    assert answers(read_labelled_pairs(score)[0]) == [("score", 3.8), ("score", 5.0)]
    label = write(tmp_path, '{"a": "x", "b": "y", "label": 3, "score": 1}\n')
    assert answers(read_labelled_pairs(label)[0]) == [("label", "3")]


def test_tables_have_a_header(tmp_path: Path) -> None:
    csv = write(tmp_path, 'a,b,label\n"one, two",x,yes\nthree,y,-\n', "pairs.csv")
    pairs, skipped = read_labelled_pairs(csv)
    assert (pairs[0].a, pairs[0].answer, skipped) == ("one, two", "yes", 1)
    tsv = write(tmp_path, "anchor\ttarget\tscore\nx\ty\t2.5\n", "pairs.tsv")
    assert answers(read_labelled_pairs(tsv)[0]) == [("score", 2.5)]
    same = write(tmp_path, "a,b,same\nx,y,True\nx,z,false\n", "same.csv")
    assert answers(read_labelled_pairs(same)[0]) == [("same", "true"), ("same", "false")]


def test_columns_may_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "first,second,verdict,closeness\nx,y,good,1.5\n", "pairs.csv")
    names = Columns("first", "second", label="verdict")
    assert answers(read_labelled_pairs(path, names)[0]) == [("label", "good")]
    names = Columns("first", "second", score="closeness")
    assert answers(read_labelled_pairs(path, names)[0]) == [("score", 1.5)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": no labelled pairs"),
        ('{"a": "x", "b": "y", "label": "-"}', ": no labelled pairs"),
        ('{"a": "x", "label": "yes"}', ": unknown columns of the two sentences; the file has 'a'"),
        ('{"a": "x", "b": "y"}', ": no column with a label or a score; the file has 'a', 'b'"),
        ('{"a": 1, "b": "y", "label": "yes"}', ', line 1: "a" must be a string'),
        (
            '{"a": "x", "b": "y", "label": "yes"}\n{"a": "x", "b": "y"}',
            ', line 2: "label" must be a label, a word or a whole number, but it is missing',
        ),
        ('{"a": "x", "b": "y", "label": 3.8}', "found 3.8; a number with a fraction is a score"),
        ('{"a": "x", "b": "y", "label": " "}', ', line 1: "label" must be a label'),
        ('{"a": "x", "b": "y", "score": 5.1}', ', line 1: "score" must be a number from 0 to 5'),
        ('{"a": "x", "b": "y", "score": true}', ', line 1: "score" must be a number from 0 to 5'),
        ('{"a": "x", "b": "y", "score": "high"}', "must be a number from 0 to 5, found"),
        ('{"a": "x", "b": "y", "score": 1}\n{"a": "x"', ", line 2: not valid JSON"),
        ("a,b,score\nx,y\n", ", line 2: 2 fields under a header of 3"),
    ],
)
def test_bad_files_are_refused_with_their_place(content: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    with pytest.raises(PocketIntentError) as error:
        read_labelled_pairs(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_a_named_column_that_is_missing_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, '{"a": "x", "b": "y", "score": 1}\n')
    with pytest.raises(PocketIntentError, match="no column 'verdict'; the file has 'a', 'b'"):
        read_labelled_pairs(path, Columns(label="verdict"))


def test_the_shared_sets_are_read(data_dir: Path) -> None:
    mrpc, _ = read_labelled_pairs(data_dir / "pairs" / "mrpc" / "train.jsonl")
    stsb, _ = read_labelled_pairs(data_dir / "sts" / "stsb" / "train.jsonl")
    assert (len(mrpc), {pair.answer for pair in mrpc}) == (4076, {"true", "false"})
    assert (len(stsb), {pair.question for pair in stsb}) == (5749, {"score"})
