import json
import re
import shutil
import subprocess
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text import tokenizer as module
from pocketintent.runtime.text.tokenizer import (
    MAX_CHARS,
    SIMPLE_SPEC,
    get_tokenizer,
    simple_tokenize,
)

DOCS = Path(__file__).resolve().parents[3] / "docs"
VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (DOCS / "tokenizer_vectors.jsonl").read_text(encoding="utf-8").splitlines()
]
# Lone surrogates, and what the rules speak of, more often than chance would give them.
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=[])),
    st.text(st.sampled_from("aΣß1٣'’`´ \n\0_$+é\u0301\u200d\ufe0f👍🏽東ガー한ไ\ud83dﬁ½İ")),
)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["text"]))
def test_the_vectors_of_the_specification_hold(vector: dict[str, Any]) -> None:
    assert simple_tokenize(vector["text"]) == vector["tokens"]


def test_the_port_in_the_specification_passes_the_vectors() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    page = (DOCS / "tokenizer.md").read_text(encoding="utf-8")
    port, _ = re.findall(r"```js\n(.*?)```", page, re.DOTALL)
    lone = [{"text": "a\ud83db", "tokens": ["a", "b"]}]
    cut = [{"text": "\U00020bb7" * 5000, "tokens": ["\U00020bb7"] * MAX_CHARS}]
    vectors = json.dumps([*VECTORS, *lone, *cut])
    check = (
        f"const found = {vectors}.map((v) => tokenize(v.text)); console.log(JSON.stringify(found))"
    )
    run = subprocess.run(
        [node, "-"], input=port + check, capture_output=True, text=True, check=True
    )
    wanted = [vector["tokens"] for vector in [*VECTORS, *lone, *cut]]
    assert json.loads(run.stdout) == wanted


@given(st.text(st.characters(max_codepoint=127)))
@example("`a``b'c'`d`")
@example("Is it on? ..")
@example("Is it on?\x1c")
@example(" ?. ")
def test_ascii_takes_a_shorter_way_to_the_same_tokens(text: str) -> None:
    prepared = text.translate(module._APOSTROPHES).lower()
    assert simple_tokenize(text) == module._tokenize_classes(prepared)


def by_the_rules(text: str) -> list[str]:
    """The specification as regular expressions over the names of the classes."""
    cut = re.sub("[\u2019\u2018\u02bc\u0060\u00b4]", "'", text[:4096])
    chars = unicodedata.normalize("NFKC", cut).lower()
    ideographs = (
        "[\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    )

    def kind(char: str) -> str:
        category = unicodedata.category(char)
        if char == "'" or re.match(ideographs, char):
            return "A" if char == "'" else "I"
        names = {"Nd": "D", "Nl": "S", "No": "S", "Cn": "S", "Co": "S"}
        return names.get(category) or (category[0] if category[0] in "LMS" else "X")

    kinds = "".join(map(kind, chars))
    tokens = re.finditer("(?:(?<=[LM])A(?=L))?L[LM]*|D+|[IS]", kinds)
    found = []
    for match in tokens:
        start, end = match.span()
        if kinds[start] == "A" and not re.search("L[LM]*$", kinds[:start]):
            start += 1  # the mark before the apostrophe belongs to no word
        found.append(chars[start:end])
    return found


@given(TEXTS)
@example("5\u0301'a")
def test_any_text_gives_what_the_rules_say(text: str) -> None:
    assert simple_tokenize(text) == by_the_rules(text)


@given(TEXTS)
def test_tokens_are_lower_case_never_empty_and_without_white_space(text: str) -> None:
    for token in simple_tokenize(text):
        assert token and token == token.lower()
        assert not any(char.isspace() for char in token)
        token.encode()  # no lone surrogate, so that a vocabulary can hold it


@given(st.text(st.characters(max_codepoint=127)))
def test_tokens_of_ascii_joined_as_they_stood_give_themselves(text: str) -> None:
    tokens = simple_tokenize(text)
    joined = "".join(token if token[0] == "'" else f" {token}" for token in tokens)
    assert simple_tokenize(joined) == tokens


def test_a_text_is_cut_to_code_points_not_to_bytes_or_half_emoji() -> None:
    assert simple_tokenize("👍" * (MAX_CHARS + 5)) == ["👍"] * MAX_CHARS
    assert simple_tokenize("a" * (MAX_CHARS + 5)) == ["a" * MAX_CHARS]
    assert simple_tokenize(" " * (MAX_CHARS - 1) + "ab") == ["a"]
    assert simple_tokenize("e\u0301" * MAX_CHARS) == ["é" * (MAX_CHARS // 2)]


def test_a_megabyte_is_read_as_its_beginning() -> None:
    for text in ("word " * 200_000, "słowo " * 200_000, "\ufdfa" * 350_000):
        assert simple_tokenize(text) == simple_tokenize(text[:MAX_CHARS])


def test_nul_and_lone_surrogates_separate() -> None:
    assert simple_tokenize("a\0b\ud83dc\udc4dé") == ["a", "b", "c", "é"]
    assert simple_tokenize("\ud83d\0") == []


@pytest.mark.parametrize("text", ["turn on the lights", "", "w " * 600])
def test_a_caller_may_change_its_tokens(text: str) -> None:
    tokens = simple_tokenize(text)
    simple_tokenize(text).append("more")
    assert simple_tokenize(text) == tokens


@pytest.mark.parametrize(("text", "times"), [("lights on", 1), ("lights on " * 200, 3)])
def test_only_a_short_text_is_remembered(
    text: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    tokenize = module._tokenize
    monkeypatch.setattr(module, "_tokenize", lambda text: texts.append(text) or tokenize(text))
    simple_tokenize("other words")
    texts.clear()
    assert simple_tokenize(text) == simple_tokenize(text) == simple_tokenize(text)
    assert texts == [text] * times


def test_threads_get_the_tokens_of_their_own_texts() -> None:
    texts = [f"text {number}" for number in range(8)]

    def tokenize(text: str) -> bool:
        return all(simple_tokenize(text) == text.split() for _ in range(2000))

    with ThreadPoolExecutor(len(texts)) as pool:
        assert all(pool.map(tokenize, texts))


def test_the_specification_names_the_tokenizer() -> None:
    assert get_tokenizer(SIMPLE_SPEC) is simple_tokenize
    assert SIMPLE_SPEC == {"name": "simple", "version": 1, "max_chars": 4096}
    page = (DOCS / "tokenizer.md").read_text(encoding="utf-8")
    assert json.dumps(SIMPLE_SPEC) in page
    rules = page.partition("## Specification")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\d+\. ", rules, re.MULTILINE)) <= 10


@pytest.mark.parametrize("change", [{"version": 2}, {"max_chars": 99}, {"version": None}])
def test_another_version_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError, match="this runtime has"):
        get_tokenizer(SIMPLE_SPEC | change)


@pytest.mark.parametrize("spec", [{}, {"name": "klingon"}, {"name": 7}, {"name": ["simple"]}])
def test_an_unknown_tokenizer_is_refused_with_those_known(spec: dict[str, Any]) -> None:
    wanted = r"known: .*simple.*docs/tokenizer\.md"
    with pytest.raises(ModelFileError, match=wanted):
        get_tokenizer(spec)


def test_a_tokenizer_can_be_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.TOKENIZERS, "spaces", lambda spec, vocabulary: str.split)
    assert get_tokenizer({"name": "spaces"})("a b") == ["a", "b"]
