import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.evaluation.retrieval.data import Question
from pocketintent_lab.evaluation.retrieval.readers import read_retrieval


def write_lines(path: Path, *rows: Any) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def test_a_folder_of_json_lines(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "documents.jsonl",
        {"doc": 7, "title": "A", "text": "first"},
        {"doc": 9, "title": "B", "text": "second"},
    )
    write_lines(tmp_path / "questions.jsonl", {"question": "which?", "doc": 9})
    data = read_retrieval(tmp_path)
    assert [(document.title, document.text) for document in data.documents] == [
        ("A", "first"),
        ("B", "second"),
    ]
    assert data.questions == [Question("which?", (1,))]


def test_squad(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    questions = [{"question": "who?", "id": "1", "answers": []}]
    impossible = {"question": "why?", "is_impossible": True}
    article = {
        "title": "Normans",
        "paragraphs": [
            {"context": "no one", "qas": []},
            {"context": "the Normans", "qas": [*questions, impossible]},
        ],
    }
    path.write_text(json.dumps({"version": "1.1", "data": [article]}))
    data = read_retrieval(path)
    assert [document.title for document in data.documents] == ["Normans", "Normans"]
    assert data.questions == [Question("who?", (1,))]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_quasar_t(suffix: str, tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / f"dev_questions.json{suffix}",
        {"uid": "s1", "question": "what shines?", "answer": "The Sun", "tags": []},
        {"uid": "s2", "question": "what else?", "answer": "moon", "tags": []},
    )
    write_lines(
        tmp_path / f"dev_contexts.json{suffix}",
        {"uid": "s1", "contexts": [[0.9, "rain"], [0.8, "the sun shines"], [0.7, "the sun"]]},
        {"uid": "s2", "contexts": [[0.9, "stars"]]},
        {"uid": "unknown", "contexts": []},
    )
    data = read_retrieval(path)
    assert len(data.documents) == 4
    assert data.questions == [Question("what shines?", (1, 2))]


@pytest.mark.parametrize(
    ("documents", "questions", "message"),
    [
        ([{"doc": 1, "title": "A"}], [], r'documents\.jsonl, line 1: "text" must be a string'),
        ([{"doc": None}], [], r'line 1: "doc" must be a number or a string'),
        ([{"doc": 1, "title": "A", "text": "a"}] * 2, [], 'line 2: "doc" 1 occurs twice'),
        ([], [{"question": "q", "doc": 3}], 'there is no document with "doc" 3'),
        ([{"doc": 1, "title": "A", "text": "a"}], [], "there are no questions"),
    ],
)
def test_bad_lines_are_named(
    documents: list[Any], questions: list[Any], message: str, tmp_path: Path
) -> None:
    write_lines(tmp_path / "documents.jsonl", *documents)
    write_lines(tmp_path / "questions.jsonl", *questions)
    with pytest.raises(PocketIntentError, match=message):
        read_retrieval(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[]", "expected a JSON object, found list"),
        ("{}", '"data" must be a list'),
        (
            '{"data": [{"paragraphs": [{"context": 1}]}]}',
            r"data\[0\]\.paragraphs\[0\]: \"context\"",
        ),
        ('{"data": []}', "there are no questions"),
    ],
)
def test_bad_squad_files_are_named(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "squad.json"
    path.write_text(content)
    with pytest.raises(PocketIntentError, match=rf"squad\.json.*{message}"):
        read_retrieval(path)


def test_bad_quasar_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "x_questions.json.gz"
    path.write_bytes(b"plain")
    with pytest.raises(PocketIntentError, match="not a gzip file"):
        read_retrieval(path)
    write_lines(path, {"uid": "1", "question": "q", "answer": "a"})
    with pytest.raises(PocketIntentError, match=r"x_contexts\.json\.gz: cannot be read"):
        read_retrieval(path)
    write_lines(tmp_path / "x_contexts.json.gz", {"uid": "1", "contexts": ["text"]})
    with pytest.raises(PocketIntentError, match="a context must be a list of score and text"):
        read_retrieval(path)
