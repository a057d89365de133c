import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from two_processes import joined_by

torch = pytest.importorskip("torch")
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder  # noqa: E402
from pocketintent.runtime.encoders.registry import load_encoder, load_kind  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.files.model_file import load_model  # noqa: E402
from pocketintent.runtime.templates.files import load_templates  # noqa: E402
from pocketintent.training.loop.run import RunOptions  # noqa: E402
from pocketintent.training.loop.trainer import Trainer  # noqa: E402
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder  # noqa: E402
from pocketintent_lab.training.convrr.objective import ConvrrTraining  # noqa: E402
from pocketintent_lab.training.convrr.pipeline import (  # noqa: E402
    adapt,
    embed_templates,
    train_convrr,
)
from pocketintent_lab.training.convrr.settings import ConvrrSettings  # noqa: E402

TEMPLATES = {
    "on": ["turn on the light", "lamp on please", "put the lights on"],
    "off": ["turn off the light", "lamp off please", "put the lights off"],
    "music": ["play some jazz", "hear music"],
}
TOY = ConvrrSettings(width=3, kernels=6, scale=0.5, epochs=25, learning_rate=0.02, batch_size=4)
MADE = {"default": TOY, "paper": replace(TOY, kernels=None), "fcrr": replace(TOY, network="fcrr")}


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "bot.json"
    path.write_text(json.dumps(TEMPLATES))
    return path


def gap(encoder: Any) -> float:
    """How much nearer templates of one intent are than those of two, as cosines."""
    vectors = encoder.encode_batch([text for texts in TEMPLATES.values() for text in texts])
    cosines = vectors @ vectors.T
    labels = np.repeat(range(len(TEMPLATES)), [len(texts) for texts in TEMPLATES.values()])
    same = labels[:, None] == labels
    return float(cosines[same].mean() - cosines[~same].mean())


@pytest.mark.parametrize("mining", ["hard", "semi-hard"])
@pytest.mark.parametrize("network", MADE)
def test_the_intents_part_and_the_runtime_has_the_vectors_of_torch(
    network: str, mining: Any, templates: Path, contextual_model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.safetensors"
    settings = replace(MADE[network], mining=mining)
    record = train_convrr(templates, contextual_model, out, settings)

    encoder = load_kind(out, ConvrrEncoder)

    assert gap(encoder) > gap(encoder.inner) + 0.05
    assert record["loss"][-1] < record["loss"][0]
    texts = embed_templates(load_encoder(contextual_model), load_templates(templates))
    task = ConvrrTraining(texts, settings)
    decoded = {"inner.weight": encoder.head.inner.decode(), "inner.bias": encoder.head.bias}
    if settings.network == "convrr":
        decoded["inner.weight"] = decoded["inner.weight"] / task.word_scale
    if encoder.head.outer is not None:
        decoded["outer.weight"] = encoder.head.outer.decode()
    task.model.load_state_dict({key: torch.tensor(value) for key, value in decoded.items()})
    expected = encoder.encode_batch([text for group in TEMPLATES.values() for text in group])
    np.testing.assert_allclose(task.encode(texts), expected, atol=1e-5)


def test_a_text_in_a_batch_has_the_vector_of_the_text_alone(
    templates: Path, compressed_model: Path
) -> None:
    texts = embed_templates(load_encoder(compressed_model), load_templates(templates))
    task = ConvrrTraining(texts, replace(TOY, width=5))
    together = task.encode(texts)
    for number, row in enumerate(together):
        np.testing.assert_allclose(task.encode(texts.take(np.array([number])))[0], row, atol=1e-6)


def test_the_record_and_the_parts_of_the_model(
    templates: Path, contextual_model: Path, tmp_path: Path
) -> None:
    corpus, out, lines = tmp_path / "chats.txt", tmp_path / "out.safetensors", []
    corpus.write_text("turn on the lights please\nplay some jazz music\n" * 20)
    options = RunOptions(report=lines.append, languages=["en"])
    record = train_convrr(
        templates, contextual_model, out, replace(TOY, epochs=1), options, corpus=[corpus]
    )
    model = load_model(out)
    assert model.manifest["training"] == record
    assert model.manifest["languages"] == ["en"]
    assert record["templates"]["file"] == "bot.json" and record["texts"] == 8
    assert lines[0] == "8 templates of 3 intents"
    encoder = load_kind(out, ConvrrEncoder)
    assert isinstance(encoder.inner, ContextualEncoder)
    assert encoder.background is not None and encoder.template_quantizer is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zzqx\n\nqqzx\n", "chats.txt: no line has a word that the model knows"),
        (" \n", "chats.txt: no line has text; give a corpus"),
    ],
)
def test_an_unusable_corpus_is_found_before_the_training(
    text: str, message: str, templates: Path, tiny_model: Path, tmp_path: Path
) -> None:
    corpus, out, lines = tmp_path / "chats.txt", tmp_path / "out.safetensors", []
    corpus.write_text(text)
    with pytest.raises(PocketIntentError, match=message):
        train_convrr(
            templates, tiny_model, out, TOY, RunOptions(report=lines.append), corpus=[corpus]
        )
    assert lines == []
    assert set(tmp_path.iterdir()) == {corpus, templates}


def test_parts_that_belong_to_other_vectors_are_left_out(
    templates: Path, contextual_model: Path
) -> None:
    encoder = load_encoder(contextual_model).replace(manifest={"quality": 1, "training": 2})
    texts = embed_templates(encoder, load_templates(templates))
    adapted = adapt(encoder, ConvrrTraining(texts, TOY))
    assert adapted.background is None and adapted.template_quantizer is None
    assert adapted.manifest == {"training": 2}


def test_a_resumed_run_gives_the_file_of_an_unbroken_run(
    templates: Path, contextual_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out, train = tmp_path / "whole.safetensors", tmp_path / "out.safetensors", Trainer.train
    train_convrr(templates, contextual_model, whole, TOY)

    def stop(trainer: Trainer) -> None:
        train(trainer, 7)
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr(Trainer, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            train_convrr(templates, contextual_model, out, TOY)
    train_convrr(templates, contextual_model, out, TOY, RunOptions(resume=True))
    assert out.read_bytes() == whole.read_bytes()


def test_two_processes_train_one_model(
    templates: Path, contextual_model: Path, tmp_path: Path
) -> None:
    outs = [tmp_path / f"{rank}.safetensors" for rank in (0, 1)]
    paths = [str(outs[1]), str(templates), str(contextual_model)]
    settings = replace(TOY, epochs=4)
    with joined_by(SECOND, repr(asdict(settings)), *paths):
        record = train_convrr(templates, contextual_model, outs[0], settings)
    assert record["loss"][-1] < record["loss"][0]
    assert not outs[1].exists()


SECOND = """
import ast, sys
from pocketintent_lab.training.convrr.settings import ConvrrSettings
from pocketintent_lab.training.convrr.pipeline import train_convrr
settings, out, templates, model = sys.argv[1:]
train_convrr(templates, model, out, ConvrrSettings(**ast.literal_eval(settings)))
"""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"on": ["lamp on"], "off": ["lamp off"]}, "at least two texts"),
        ({"on": ["lamp on", "light on"]}, "at least two groups"),
        ({"on": ["zzz", "qqq"]}, "knows no word"),
    ],
)
def test_templates_without_pairs_are_refused(
    content: dict[str, list[str]], message: str, tiny_model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bot.json"
    path.write_text(json.dumps(content))
    with pytest.raises(PocketIntentError, match=message):
        train_convrr(path, tiny_model, tmp_path / "out.safetensors", TOY)
    assert [entry.name for entry in tmp_path.iterdir()] == ["bot.json"]


def test_a_model_that_cannot_be_adapted_is_refused(
    templates: Path, character_models: dict[str, Path], tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match="kind 'charemb' cannot be adapted"):
        train_convrr(templates, character_models["words"], tmp_path / "out.safetensors", TOY)
