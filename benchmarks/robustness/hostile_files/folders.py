"""Exported folders that are damaged on purpose, under a manifest with valid checksums."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.robustness.hostile_files import models as hostile_models
from benchmarks.robustness.hostile_files.graphs import CHANGES
from pocketintent_export import export_folder

TEMPLATES = {"on": ["turn on the light", "light on"], "music": ["play music", "music please"]}
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 3, 2**31, 2**62, 1e300, "", "x", "float32", "int32", "length"),
    *([], [1], [[1.0]], {}, {"name": "ids"}, "x" * 5000),
)


class Folders:
    """Exported folders, and the damaged ones that are made of them.

    Args:
        exported: Folders of one format.
    """

    def __init__(self, exported: Sequence[Path]) -> None:
        self._contents = [
            {file.name: file.read_bytes() for file in folder.iterdir()} for folder in exported
        ]

    @classmethod
    def of_tiny_models(cls, file_format: str) -> Folders:
        """Export a static, a contextual and a transformer model of codes, and a network of words.

        Args:
            file_format: ``onnx`` or ``tflite``.
        """
        models = hostile_models.tiny_models(np.random.default_rng(0))
        with tempfile.TemporaryDirectory() as name:
            folders = []
            for number in (1, 3, -3, -1):
                model, out = Path(name) / "model", Path(name) / str(number)
                model.write_bytes(hostile_models.seal(models[number]))
                export_folder(out, TEMPLATES, model, file_format=file_format)  # type: ignore[arg-type]
                folders.append(out)
            return cls(folders)

    def write_damaged(self, number: int, rng: np.random.Generator, path: Path) -> None:
        """Write a folder with one to three changes; its checksums are those of its files.

        Args:
            number: Number of the folder, which chooses the model.
            rng: Draws the changes.
            path: The folder; the old one is removed.
        """
        files = dict(self._contents[number % len(self._contents)])
        manifest = json.loads(files.pop("manifest.json"))
        for _ in range(int(rng.choice((1, 1, 2, 3)))):
            if rng.random() < 0.4:
                _change_entry(manifest, rng)
            else:
                name = str(rng.choice(sorted(files)))
                files[name] = _change_file(name, files[name], files, rng)
        hashes = {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
        }
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        for name, content in files.items():
            (path / name).write_bytes(content)
        listed = hashes if rng.random() < 0.98 else {}
        (path / "manifest.json").write_text(json.dumps(manifest | {"files": listed}))
        if rng.random() < 0.03:
            name = str(rng.choice([*files, "manifest.json"]))
            (path / name).unlink()
            os.mkfifo(path / name)


def _change_entry(entry: Any, rng: np.random.Generator) -> None:
    """Replace or remove an entry of the manifest, at any depth."""
    while entry:
        keys = list(entry) if isinstance(entry, dict) else list(range(len(entry)))
        key = keys[int(rng.integers(len(keys)))]
        if isinstance(entry[key], dict | list) and entry[key] and rng.random() < 0.9:
            entry = entry[key]
        elif rng.random() < 0.2:
            del entry[key]
            return
        else:
            entry[key] = deepcopy(VALUES[int(rng.integers(len(VALUES)))])
            return


def _change_file(
    name: str, content: bytes, files: dict[str, bytes], rng: np.random.Generator
) -> bytes:
    """Other content for a file: a changed graph, another file, fewer or other lines."""
    if rng.random() < 0.15:
        return files[str(rng.choice(sorted(files)))]
    try:
        if change := CHANGES.get(Path(name).suffix):
            return change(content, rng)
        if name == "labels.json":
            labels = json.loads(content)
            _change_entry(labels, rng)
            return json.dumps(labels).encode()
    except ValueError:  # an earlier change has damaged the content
        return content[::-1]
    lines = content.split(b"\n")
    place = int(rng.integers(len(lines)))
    changes = (
        lines[:place] + lines[place + 1 :],
        lines[:place] + lines[:1] + lines[place:],
        [*lines, *(b"x%d" % number for number in range(50))],
        [content[: int(rng.integers(len(content) + 1))]],
        [*lines[:place], b"\xff\0", *lines[place:]],
    )
    return b"\n".join(changes[int(rng.integers(len(changes)))])
