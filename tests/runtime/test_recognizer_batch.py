import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent import IntentRecognizer, Match
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates

TEMPLATES = {
    "lights_on": ["turn on the lights", "lights on please", "switch the lamp on"],
    "lights_off": ["turn off the lights", "lamp off please"],
    "play_music": ["play some jazz", "play music"],
}
LONG = {"threshold": 0.5, "intents": {name: {"templates": t} for name, t in TEMPLATES.items()}}

Make = Callable[..., IntentRecognizer]


@pytest.fixture(params=["table", "exact"])
def make(request: pytest.FixtureRequest, tiny_encoder: StaticEncoder) -> Make:
    def make_one(templates: Any = LONG, **settings: Any) -> IntentRecognizer:
        return IntentRecognizer(tiny_encoder, templates, search=request.param, **settings)

    return make_one


def _assert_batch_is_match(recognizer: IntentRecognizer, texts: list[str]) -> None:
    matches = recognizer.match_batch(iter(texts))
    assert len(matches) == len(texts)
    for text, match in zip(texts, matches, strict=True):
        single = recognizer.match(text)
        assert _without_scores(match) == _without_scores(single)
        assert match.score == pytest.approx(single.score, abs=1e-5)
        assert match.margin == pytest.approx(single.margin, abs=1e-5)
        if match.runner_up is not None and single.runner_up is not None:
            assert match.runner_up.score == pytest.approx(single.runner_up.score, abs=1e-5)


def _without_scores(match: Match) -> tuple[object, ...]:
    other = match.runner_up and (match.runner_up.intent, match.runner_up.template)
    return match.intent, match.nearest, match.template, match.reason, other


TINY_VOCABULARY = [word for texts in TEMPLATES.values() for text in texts for word in text.split()]
TINY_TEXTS = st.lists(st.sampled_from([*TINY_VOCABULARY, "zzz"]), max_size=5).map(" ".join)


@given(
    templates=st.lists(
        st.lists(TINY_TEXTS.filter(bool), min_size=1, max_size=4), min_size=0, max_size=4
    ),
    texts=st.lists(TINY_TEXTS, max_size=12),
    limits=st.tuples(st.sampled_from([-1, 0.5, 0.9, 1]), st.sampled_from([0, 0.05, 0.5])),
    decision=st.sampled_from(["nearest", "nearest+centroid"]),
    search=st.sampled_from(["table", "exact"]),
)
def test_a_batch_has_the_matches_of_its_texts_also_where_scores_tie(
    tiny_encoder: StaticEncoder,
    templates: list[list[str]],
    texts: list[str],
    limits: tuple[float, float],
    decision: Any,
    search: Any,
) -> None:
    intents = {f"intent {i}": {"templates": own} for i, own in enumerate(templates)}
    content = {"threshold": limits[0], "margin": limits[1], "intents": intents}
    recognizer = IntentRecognizer(tiny_encoder, content, decision=decision, search=search)

    _assert_batch_is_match(recognizer, texts)


def test_a_batch_of_several_blocks_has_the_matches_of_its_texts(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pocketintent.runtime.decision.bot.TEXTS_AT_ONCE", 5)
    monkeypatch.setattr("pocketintent.runtime.decision.nearest.SCORES_AT_ONCE", 25)
    texts = ["lamp off", "", "play jazz", "lamp off", "zzz", "turn on the lights", "music"] * 3

    _assert_batch_is_match(make(), texts)
    assert make().match_batch([]) == []


@pytest.mark.parametrize("max_decoded", [0, 1 << 23], ids=["look-ups", "product"])
@pytest.mark.parametrize("decision", ["nearest", "nearest+centroid"])
def test_a_batch_of_real_texts_has_the_matches_of_its_texts(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, decision: Any, max_decoded: int
) -> None:
    def index(*parts: Any) -> IndexedTemplates:
        return IndexedTemplates(*parts, max_decoded)

    monkeypatch.setattr("pocketintent.runtime.index.building.IndexedTemplates", index)
    lines = (data_dir / "intents" / "clinc150" / "train.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    templates: dict[str, list[str]] = {}
    for row in rows[::13]:
        templates.setdefault(row["intent"], []).append(row["text"])
    bot = {"margin": 0.02, "intents": _long(templates)}
    recognizer = IntentRecognizer.load(bot, "fast", decision=decision)

    _assert_batch_is_match(recognizer, [row["text"] for row in rows[::7]])


def _long(templates: dict[str, list[str]]) -> dict[str, Any]:
    return {name: {"templates": texts} for name, texts in templates.items()}


def test_a_batch_takes_texts_and_nothing_else(make: Make) -> None:
    recognizer = make()
    with pytest.raises(TypeError, match="must be a str, not"):
        recognizer.match_batch(["lamp off", 3])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a list of texts"):
        recognizer.match_batch("lamp off")
