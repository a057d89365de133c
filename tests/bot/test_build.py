import json
from pathlib import Path

import pytest

from pocketintent.bot.build import build_bot
from pocketintent.runtime.errors import PocketIntentError


@pytest.fixture
def templates(tmp_path: Path) -> str:
    path = tmp_path / "bot.json"
    path.write_text(json.dumps({"on": ["lamp on", "xyzzy"], "off": ["lights off please"]}))
    return str(path)


def test_the_report_counts_what_the_bot_has(templates: str, tiny_model: Path) -> None:
    bot, report = build_bot(templates, str(tiny_model))
    num_words = len(bot.encoder.vocabulary)  # type: ignore[attr-defined]
    assert report == {
        "decision": "logistic",
        "search": "table",
        "intents": 2,
        "templates": 3,
        "unknown": 1,
        "adapted": None,
        "words": {"before": num_words, "after": num_words},
    }


def test_a_pruned_model_is_fitted_by_the_decision_that_is_asked_for(
    templates: str, tiny_model: Path
) -> None:
    for decision in ("logistic", "nearest"):
        bot, report = build_bot(templates, str(tiny_model), decision=decision, max_words=1)  # type: ignore[arg-type]
        assert (bot.decision, report["decision"]) == (decision, decision)
        assert report["words"]["after"] < report["words"]["before"]
        assert bot.match("lamp on").intent == "on"


def test_a_bot_file_keeps_its_decision(templates: str, tiny_model: Path, tmp_path: Path) -> None:
    first, _ = build_bot(templates, str(tiny_model), decision="nearest")
    first.save(path := tmp_path / "bot.safetensors")
    again, report = build_bot(str(path), max_words=1)
    assert report["decision"] == "nearest"
    assert again.match("lamp on") == first.match("lamp on")


def test_a_model_without_words_cannot_lose_any(
    templates: str, character_models: dict[str, Path]
) -> None:
    model = str(character_models["text"])
    assert build_bot(templates, model)[1]["words"] is None
    with pytest.raises(PocketIntentError, match=r"^--max-words: the words of a model of kind"):
        build_bot(templates, model, max_words=3)
