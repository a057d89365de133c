import numpy as np

from pocketintent.bot.build import keep_for_bot
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ["on", "off", "light", "lamp", "please", "music", "play", "the"]


def make_encoder() -> StaticEncoder:
    vectors = np.random.default_rng(0).standard_normal((len(WORDS), 6), dtype=np.float32)
    return StaticEncoder(Vocabulary(WORDS), DenseMatrix(vectors))


def test_the_words_of_a_bot_are_kept_besides_the_frequent_ones() -> None:
    encoder = make_encoder()
    templates = parse_templates(
        {
            "none": ["the music"],
            "background": ["light"],
            "intents": {"a": {"templates": ["Play unheard"], "except": ["lamp"]}},
        }
    )
    small = keep_for_bot(encoder, templates, 2)

    assert small.vocabulary.words == ["on", "off", "lamp", "music", "play", "the"]
    vectors = [model.encode("play the music") for model in (small, encoder)]
    assert np.array_equal(*vectors)
    assert small.manifest["compression"]["keep"] == 2


def test_a_bot_that_needs_all_words_keeps_the_encoder() -> None:
    encoder = make_encoder()

    assert keep_for_bot(encoder, TemplateSet(), 1000) is encoder


def test_the_quality_of_the_whole_model_is_not_that_of_a_bots() -> None:
    encoder = make_encoder().replace(manifest={"quality": 1, "languages": ["en"]})
    small = keep_for_bot(encoder, TemplateSet(), 2)

    assert "quality" not in small.manifest
    assert small.manifest["languages"] == ["en"]
