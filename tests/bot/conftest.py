import pytest

from pocketintent import IntentRecognizer
from pocketintent.bot.utterances import Utterance
from pocketintent.runtime.encoders.static import StaticEncoder

TEMPLATES = {
    "threshold": 0.6,
    "margin": 0.02,
    "intents": {
        "lights_on": {"templates": ["turn on the lights", "lights on please", "lamp on"]},
        "lights_off": {"templates": ["turn off the lights", "lamp off please"]},
        "music": {"templates": ["play some jazz", "play music"], "threshold": 0.7},
    },
}

LABELS = {
    "switch the light on": "lights_on",
    "please lamp on": "lights_on",
    "could you turn off the lamp": "lights_off",
    "lights off": "lights_on",
    "hear a song": "music",
    "zzz": "music",
    "order pizza": None,
    "play the gate": None,
}


@pytest.fixture
def recognizer(tiny_encoder: StaticEncoder) -> IntentRecognizer:
    """A bot of three intents, of which one has its own threshold."""
    return IntentRecognizer(tiny_encoder, TEMPLATES, decision="nearest+centroid")


@pytest.fixture
def utterances() -> list[Utterance]:
    """Utterances of every kind: right, wrong, unknown, and out of scope."""
    return [Utterance(text, intent) for text, intent in LABELS.items()]
