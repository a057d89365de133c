"""A small bot for tests of the recogniser, and the type of the fixture that makes it."""

from collections.abc import Callable

from pocketintent import IntentRecognizer

TEMPLATES = {
    "lights_on": ["turn on the lights", "lights on please", "switch the lamp on"],
    "lights_off": ["turn off the lights", "lamp off please"],
    "play_music": ["play some jazz", "play music"],
}
LONG = {"threshold": 0.5, "intents": {name: {"templates": t} for name, t in TEMPLATES.items()}}
"""The templates with a threshold."""

Make = Callable[..., IntentRecognizer]
