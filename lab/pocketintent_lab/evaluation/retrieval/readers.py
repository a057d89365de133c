"""Readers of retrieval data: a folder of JSON lines, SQuAD's JSON, and QUASAR-T."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from pocketintent.records import parse_objects, read_content, read_objects, string_field
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.evaluation.retrieval.data import Document, Question, RetrievalData

_SUFFIXES = ("_questions.json", "_questions.json.gz")


def read_retrieval(path: str | Path) -> RetrievalData:
    """Read documents and questions.

    Args:
        path: A folder with ``documents.jsonl``, lines of ``{"doc", "title", "text"}``, and
            ``questions.jsonl``, lines of ``{"question", "doc"}``; a file ``.json`` of SQuAD 1.1 or
            2.0, whose unanswerable questions are left out; or a file ``…_questions.json``, or
            ``.json.gz``, of QUASAR-T with ``…_contexts.json`` beside it. A context of QUASAR-T is
            relevant if it contains the answer; questions without such a context are left out.

    Raises:
        PocketIntentError: A file is missing or malformed, or there are no questions.
    """
    path = Path(path)
    if path.is_dir():
        data = _read_folder(path)
    elif path.name.endswith(_SUFFIXES):
        data = _read_quasar(path)
    else:
        data = _read_squad(path)
    if not data.questions:
        raise PocketIntentError(f"{path}: there are no questions with a document")
    return data


def _read_folder(folder: Path) -> RetrievalData:
    numbers: dict[Any, int] = {}
    documents: list[Document] = []
    for place, entry in read_objects(folder / "documents.jsonl"):
        key = _key(entry, place)
        if key in numbers:
            raise PocketIntentError(f'{place}: "doc" {key!r} occurs twice')
        numbers[key] = len(documents)
        title = string_field(entry, "title", place)
        documents.append(Document(title, string_field(entry, "text", place)))
    questions = []
    for place, entry in read_objects(folder / "questions.jsonl"):
        key = _key(entry, place)
        if key not in numbers:
            raise PocketIntentError(f'{place}: there is no document with "doc" {key!r}')
        questions.append(Question(string_field(entry, "question", place), (numbers[key],)))
    return RetrievalData(documents, questions)


def _key(entry: Mapping[str, Any], place: str) -> int | str:
    key = entry.get("doc")
    if type(key) not in (int, str):
        raise PocketIntentError(f'{place}: "doc" must be a number or a string, found {key!r}')
    return key  # type: ignore[return-value]


def _read_squad(path: Path) -> RetrievalData:
    try:
        content = orjson.loads(read_content(path))
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}: not JSON: {error}") from error
    documents: list[Document] = []
    questions = []
    for number, article in enumerate(_list(content, "data", str(path))):
        place = f"{path}, data[{number}]"
        title = _object(article, place).get("title", str(number))
        for position, paragraph in enumerate(_list(article, "paragraphs", place)):
            where = f"{place}.paragraphs[{position}]"
            text = string_field(_object(paragraph, where), "context", where)
            for entry in _list(paragraph, "qas", where):
                question = string_field(_object(entry, where), "question", where)
                if not entry.get("is_impossible", False):
                    questions.append(Question(question, (len(documents),)))
            documents.append(Document(str(title), text))
    return RetrievalData(documents, questions)


def _read_quasar(path: Path) -> RetrievalData:
    contexts_path = path.with_name(path.name.replace("_questions.json", "_contexts.json"))
    answers: dict[str, tuple[str, str]] = {}
    for place, entry in _lines(path):
        texts = (string_field(entry, "question", place), string_field(entry, "answer", place))
        answers[string_field(entry, "uid", place)] = texts
    documents: list[Document] = []
    questions = []
    for place, entry in _lines(contexts_path):
        uid = string_field(entry, "uid", place)
        if uid not in answers:
            continue
        question, answer = answers[uid]
        relevant = []
        for context in _list(entry, "contexts", place):
            if not isinstance(context, list) or not context or not isinstance(context[-1], str):
                raise PocketIntentError(f"{place}: a context must be a list of score and text")
            if answer.lower() in context[-1].lower():
                relevant.append(len(documents))
            documents.append(Document(uid, context[-1]))
        if relevant:
            questions.append(Question(question, tuple(relevant)))
    return RetrievalData(documents, questions)


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    content = read_content(path)
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise PocketIntentError(f"{path}: not a gzip file: {error}") from error
    return parse_objects(path, content)


def _object(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PocketIntentError(f"{place}: expected a JSON object, found {type(value).__name__}")
    return value


def _list(value: object, key: str, place: str) -> list[Any]:
    entries = _object(value, place).get(key)
    if not isinstance(entries, list):
        raise PocketIntentError(f'{place}: "{key}" must be a list')
    return entries
