"""Bot files that are damaged on purpose and then sealed with a valid checksum."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import get_args

import numpy as np

from benchmarks.robustness.hostile_files import models as hostile_models
from benchmarks.robustness.hostile_files import templates as hostile_templates
from benchmarks.robustness.hostile_files.models import Parts
from pocketintent.compression.background import fit_background
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.registry import DECISIONS, Decision
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.files.model_file import BOT, load_model
from pocketintent.runtime.index.building import Search

TEMPLATES = {
    "none": ["play the light"],
    "intents": {
        "on": {"templates": ["turn on the light", "light on"], "except": ["turn music on"]},
        "unknown": {"templates": ["\u200b \u2026"]},
        "music": {"templates": ["play music", "musik please"], "threshold": 0.3},
    },
}
_LINES = ("turn the music on", "the light", "play light music", "on the music", "turn play")


def tiny_bots(rng: np.random.Generator, dim: int = hostile_models.DIM) -> list[Parts]:
    """Bots of each decision and search over several models, of some kilobytes."""
    encoders = hostile_models.tiny_encoders(rng, dim)
    encoders = [_with_background(encoders[1]), encoders[0], encoders[-3], encoders[-1]]
    settings = [(decision, search) for decision in DECISIONS for search in get_args(Search)]
    return [_parts(encoder, *chosen) for encoder in encoders for chosen in settings]


def character_bots(rng: np.random.Generator) -> list[Parts]:
    """A bot of each model that reads characters, of some kilobytes."""
    encoders = hostile_models.tiny_encoders(rng)
    encoders = [encoder for encoder in encoders if encoder.kind in ("charemb", "combined")]
    encoders += [_with_background(encoders[1]), _with_background(encoders[-1])]
    settings = [(decision, search) for decision in DECISIONS for search in get_args(Search)]
    return [
        _parts(encoder, *settings[number % len(settings)])
        for number, encoder in enumerate(encoders)
    ]


def mutate(parts: Parts, rng: np.random.Generator) -> bytes:
    """One hostile file: changes of the bot or, one time in five, of the whole file."""
    damaged = hostile_models.copy_parts(parts)
    if rng.random() < 0.2:
        hostile_models.change(damaged, rng)
    elif rng.random() < 0.2:
        content = np.frombuffer(hostile_templates.mutate(rng), np.uint8)
        damaged.tensors[f"{BOT}.templates"] = content
    else:
        _change_bot(damaged, rng)
    return hostile_models.seal_or_damage(damaged, rng)


def _change_bot(parts: Parts, rng: np.random.Generator) -> None:
    """Change the manifest entry and the tensors of the bot alone."""
    own = {name: tensor for name, tensor in parts.tensors.items() if name.startswith(f"{BOT}.")}
    bot = Parts({BOT: parts.manifest[BOT]}, own)
    hostile_models.change(bot, rng)
    others = {name: tensor for name, tensor in parts.tensors.items() if name not in own}
    parts.tensors = others | bot.tensors
    parts.manifest = {k: v for k, v in parts.manifest.items() if k != BOT} | bot.manifest


def _parts(encoder: ModelEncoder, decision: Decision, search: Search) -> Parts:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bot.safetensors"
        IntentRecognizer(encoder, TEMPLATES, decision=decision, search=search).save(path)
        model = load_model(path)
        tensors = {name: tensor.copy() for name, tensor in model.tensors.items()}
        return hostile_models.parts_of(model.manifest, tensors)


def _with_background(encoder: ModelEncoder) -> ModelEncoder:
    vectors = encoder.encode_batch(_LINES)
    return encoder.replace(background=fit_background(vectors, _LINES, len(_LINES)))
