import numpy as np

from pocketintent.compression.pipeline import compress_encoder
from pocketintent.compression.settings import QuantisationSettings
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ["play", "stop", "music", "song", "lamp", "light"]
TEXTS = [f"{verb} the {noun}" for verb in WORDS[:2] for noun in WORDS[2:]]


def make_encoder() -> StaticEncoder:
    vectors = np.random.default_rng(0).standard_normal((len(WORDS), 8), dtype=np.float32)
    counts = np.arange(len(WORDS), 0, -1).astype(np.uint32)
    return StaticEncoder(Vocabulary(WORDS), DenseMatrix(vectors), counts=counts)


def test_a_model_is_pruned_quantised_and_described() -> None:
    said: list[str] = []
    stages: list[str] = []
    settings = QuantisationSettings(sub_dim=2, codebook_size=4)
    pruned, small = compress_encoder(
        make_encoder(),
        settings,
        keep=4,
        texts=TEXTS,
        report=said.append,
        progress=lambda stage, done, total: stages.append(stage),
    )
    assert isinstance(pruned, StaticEncoder) and isinstance(small, StaticEncoder)
    assert pruned.vocabulary.words == small.vocabulary.words == WORDS[:4]
    assert isinstance(pruned.words, DenseMatrix) and isinstance(small.words, QuantizedMatrix)
    assert small.background is not None and small.template_quantizer is not None
    made = small.manifest["compression"]
    assert (made["keep"], made["prune"], made["sub_dim"]) == (4, "frequency", 2)
    assert said == ["fitting the codebook of templates and the background"]
    assert set(stages) == {"fit words", "encode words"}


def test_codes_stay_without_settings_and_lost_parts_are_named() -> None:
    said: list[str] = []

    def progress(stage: str, done: int, total: int) -> None: ...

    settings = QuantisationSettings(sub_dim=2, codebook_size=4)
    say = {"report": said.append, "progress": progress}
    _, first = compress_encoder(make_encoder(), settings, texts=TEXTS, **say)  # type: ignore[arg-type]
    _, second = compress_encoder(first, None, keep=3, prune="norm", texts=["play music"], **say)  # type: ignore[arg-type]
    assert isinstance(first, StaticEncoder) and isinstance(second, StaticEncoder)
    assert isinstance(first.words, QuantizedMatrix) and isinstance(second.words, QuantizedMatrix)
    ids = [WORDS.index(word) for word in second.vocabulary.words]
    np.testing.assert_array_equal(second.words.codes, first.words.codes[ids])
    said.clear()
    compress_encoder(first, settings, **say)  # type: ignore[arg-type]
    assert len(said) == 1 and "the background and the codebook for templates; give" in said[0]


def test_the_given_encoder_keeps_its_manifest() -> None:
    settings = QuantisationSettings(sub_dim=2, codebook_size=4)
    say = {"report": lambda line: None, "progress": lambda stage, done, total: None}
    _, first = compress_encoder(make_encoder(), settings, **say)  # type: ignore[arg-type]
    first = first.replace(counts=None)
    first.manifest["quality"] = {"accuracy": 0.5}
    before = dict(first.manifest)

    _, second = compress_encoder(first, None, **say)  # type: ignore[arg-type]

    assert first.manifest == before
    assert "quality" not in second.manifest and "compression" in second.manifest
