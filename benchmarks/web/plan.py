"""What is measured: the systems, the texts, and where their files are."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pocketintent.training.corpora.written_bots import WrittenBot

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
MODELS = ("default", "fast", "tiny")
UNSEEN = {"default": 20, "fast": 100, "tiny": 100}
"""Texts of each model that a fresh recogniser is opened for."""
TEMPLATES = "smart_home"


def export_folder_of(bot: str, model: str) -> str:
    """The name of the folder with the export of a bot."""
    return f"{bot}-{model}"


def _ours(model: str) -> dict[str, Any]:
    return {
        "script": "/systems/pocketintent.mjs",
        "options": {"model": f"/models/{model}.safetensors"},
        "is_taught": True,
        "unseen": UNSEEN[model],
    }


def _plain(model: str) -> dict[str, Any]:
    return _ours(model) | {"script": "/systems/plain.mjs"}


def _export(model: str) -> dict[str, Any]:
    return {
        "script": "/bundled/onnx.mjs",
        "options": {"folder": f"/exports/{export_folder_of(TEMPLATES, model)}"},
        "is_taught": False,
    }


SYSTEMS: Mapping[str, dict[str, Any]] = {
    **{model: _ours(model) for model in MODELS},
    **{f"plain-{model}": _plain(model) for model in MODELS},
    **{f"onnx-{model}": _export(model) for model in MODELS},
    "nlpjs": {"script": "/bundled/nlpjs.mjs", "options": {}, "is_taught": True},
    "minilm": {
        "script": "/bundled/minilm.mjs",
        "options": {"folder": "/minilm"},
        "is_taught": True,
    },
}
"""The systems by name: their module, what it is called with, and whether it is taught the templates
in the page. `default`, `fast` and `tiny` are the package by its models, `plain-…` that without
WebAssembly, and `onnx-…` the ONNX exports of the same on onnxruntime-web."""


def describe_systems(names: Sequence[str], bots: Iterable[WrittenBot]) -> list[dict[str, Any]]:
    """The entries of the plan; an export has a folder for each bot."""
    bots = list(bots)
    entries = []
    for name in names:
        entry = {"name": name, "unseen": 0, **SYSTEMS[name]}
        kind, _, model = name.partition("-")
        if kind == "onnx":
            folders = {bot.name: export_folder_of(bot.name, model) for bot in bots}
            entry["bots"] = {bot: {"folder": f"/exports/{own}"} for bot, own in folders.items()}
        entries.append(entry)
    return entries


def describe_bot(bot: WrittenBot) -> dict[str, Any]:
    """The entry of a bot."""
    return {"name": bot.name, "templates": bot.template_file(), "texts": bot.queries()}


def read_texts(path: Path) -> list[str]:
    """The texts of a file: of CSV the column `text`, of JSON lines the field, otherwise lines."""
    lines = path.read_text("utf-8").splitlines()
    if path.suffix == ".csv":
        return [row["text"] for row in csv.DictReader(lines)]
    if path.suffix == ".jsonl":
        return [json.loads(line)["text"] for line in lines]
    return lines
