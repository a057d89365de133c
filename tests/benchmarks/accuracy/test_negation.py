import json
from pathlib import Path

from benchmarks.accuracy.negation import count_phrasings
from pocketintent.runtime.encoders.static import StaticEncoder

BOT = {
    "intents": {
        "lamp_on": {
            "templates": ["turn on the light", "lamp on"],
            "phrasings": ["why is the light not on"],
        },
        "music_play": {"templates": ["play music", "play jazz"], "phrasings": ["play jazz"]},
    },
    "foreign": {"own_subject": ["don't play"]},
}


def test_the_negated_phrasings_with_an_intent_are_counted(
    tmp_path: Path, tiny_encoder: StaticEncoder
) -> None:
    (tmp_path / "home.json").write_text(json.dumps(BOT), encoding="utf-8")
    counts = count_phrasings(tiny_encoder, tmp_path)
    assert counts["negated_phrasings"] == 1
    assert {"none", "first", "each"} < counts.keys() and counts["each"] <= counts["none"] <= 1
