import numpy as np

from benchmarks.accuracy.own_subject import draw, measure
from pocketintent.runtime.encoders.static import StaticEncoder

TRAIN = {name: [f"{name} {word}" for word in "abcdef"] for name in ("w", "x", "y", "z")}
QUERIES = {
    "lights_on": ["turn on the light"],
    "music_play": ["play music"],
    "lights_off": ["the light"],
}


def test_a_quarter_of_the_intents_is_held_out_and_the_templates_of_a_draw_are_nested() -> None:
    few, many = (draw(TRAIN, shots, np.random.default_rng(0)) for shots in (2, 5))
    assert list(few) == list(many) and len(few) == 3
    assert all(many[name][:2] == few[name] for name in few)


def test_texts_of_intents_that_the_bot_lacks_are_counted_apart(
    tiny_encoder: StaticEncoder,
) -> None:
    bot = {"lights_on": ["turn on the light", "light on"], "music_play": ["play music"]}
    figures = measure(tiny_encoder, bot, QUERIES)
    assert figures["accuracy"] == 1
    assert figures["out_of_scope_accepted"] in (0, 1)  # there is one such text
