from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.teachers.settings import TargetSettings
from pocketintent.training.teachers.texts import (
    frequent_words,
    make_phrases,
    make_targets,
    substitute_words,
    teacher_words,
)
from pocketintent.training.vectors.reading import read_vectors


def test_made_texts_come_before_those_of_files_and_each_is_written_once(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    corpus, bot, out = tmp_path / "a.txt", tmp_path / "bot.json", tmp_path / "targets.tsv"
    lines = ["turn on the light", "please turn off the warm light now", "light"]
    corpus.write_text("\n".join(lines * 2))
    bot.write_text('{"lights": ["turn on the light", "lights"]}')
    said: list[str] = []
    stages: Counter[str] = Counter()
    record = make_targets(
        tiny_encoder,
        out,
        TargetSettings(single_words=2, phrases=2, substitutions=1, components=3),
        texts=[corpus],
        templates=[bot],
        report=said.append,
        progress=lambda stage, done, total: stages.update([stage]),
    )
    read = read_vectors(out)
    assert record == {"texts": len(read), "dim": 3} and said[-1] == f"{len(read)} texts"
    assert read.terms[:3] == ["light", "the", "turn"] and read.terms[-2:] == [lines[1], "lights"]
    assert len(set(read.terms)) == len(read) > 6 and set(lines) <= set(read.terms)
    assert set(stages) == {"texts"}
    assert np.isfinite(read.vectors).all() and not Path(f"{out}.partial").exists()


def test_more_components_than_the_vectors_have_are_refused(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match="--components 99 is more than the 32 dimensions"):
        make_targets(
            tiny_encoder,
            tmp_path / "targets.tsv",
            TargetSettings(components=99),
            report=print,
            progress=print,
        )


TEXTS = [
    "Please turn on the lights in the kitchen",
    "What is the weather like in Rome tomorrow",
    "Play some jazz music for me now",
    "Stop",
]


def test_phrases_are_parts_of_texts_and_no_texts() -> None:
    phrases = make_phrases(TEXTS, 30, seed=1)
    assert len(set(phrases)) == 30
    assert not set(phrases) & set(TEXTS)
    assert all(any(phrase in text for text in TEXTS) for phrase in phrases)
    assert {len(phrase.split()) for phrase in phrases} <= set(range(2, 9))


def test_substitutions_replace_one_or_two_words() -> None:
    made = substitute_words(TEXTS, ["zebra"], 40, seed=1)
    assert len(set(made)) == 40
    tokens = [simple_tokenize(text) for text in TEXTS]
    for text in made:
        words = text.split()
        same = [t for t in tokens if len(t) == len(words)]
        changed = min(sum(a != b for a, b in zip(t, words, strict=True)) for t in same)
        assert changed <= 2
    assert any("zebra" in text for text in made)


@pytest.mark.parametrize("num", [0, 1000])
def test_few_texts_give_fewer(num: int) -> None:
    assert len(make_phrases(TEXTS, num, seed=0)) <= min(num, 80)
    assert len(substitute_words(TEXTS[:1], [], num, seed=0)) <= num
    assert make_phrases([], num, seed=0) == substitute_words([], [], num, seed=0) == []


def test_a_seed_gives_one_draw() -> None:
    assert make_phrases(TEXTS, 9, seed=5) == make_phrases(TEXTS, 9, seed=5)
    assert substitute_words(TEXTS, [], 9, seed=5) == substitute_words(TEXTS, [], 9, seed=5)
    assert substitute_words(TEXTS, [], 9, seed=5) != substitute_words(TEXTS, [], 9, seed=6)


def test_frequent_words_come_first() -> None:
    assert frequent_words(TEXTS, 2) == ["the", "in"]
    assert frequent_words(TEXTS, 9) == frequent_words([], 1) == []


def test_whole_words_of_both_kinds_of_vocabularies() -> None:
    for tokens in (
        ["[CLS]", "lamp", "##lamp", "on", "Café", "Jazz", "7th"],
        ["Ġlamp", "lamp", "Ġon", "<s>", "▁jazz"],
    ):
        teacher = SimpleNamespace(vocabulary=lambda tokens=tokens: tokens)
        assert teacher_words(teacher) == ["jazz", "lamp"]
