from pathlib import Path

from benchmarks.accuracy.negation import count_phrasings
from pocketintent.runtime.encoders.static import StaticEncoder

BOT = '{"lamp_on": ["turn on the light", "lamp on"], "music_play": ["play music", "play jazz"]}'


def test_the_negated_phrasings_with_an_intent_are_counted(
    tmp_path: Path, tiny_encoder: StaticEncoder
) -> None:
    (tmp_path / "home.json").write_text(BOT, encoding="utf-8")
    (tmp_path / "home.csv").write_text(
        "text,intent\nwhy is the light not on,lamp_on\nplay jazz,music_play\ndon't play,\n",
        encoding="utf-8",
    )
    counts = count_phrasings(tiny_encoder, tmp_path)
    assert counts["negated_phrasings"] == 1
    assert {"none", "first", "each"} < counts.keys() and counts["each"] <= counts["none"] <= 1
