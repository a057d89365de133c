"""The files of exported folders: what they have, and changes for the tests of what is refused."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent import IntentRecognizer, PocketIntentError
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import BACKENDS, CONFORMANCE, ExportedFolder, open_exported
from pocketintent.runtime.graphs.manifest import MANIFEST
from pocketintent_export.conformance import describe_text

BAD_VALUES: list[Any] = [None, True, -1, 10**30, 0.5, "x", [], {}, [[[1.0]]], {"name": 3}]
KEYS = ["dim", "max_length", "decision", "tokenizer", "ngrams", "template_codebook", "files"]
KEYS += ["kind", "reads", "characters", "artifacts", "max_tokens"]


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an exported folder."""
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
    return manifest


def read_conformance(folder: Path) -> list[dict[str, Any]]:
    """The lines of the conformance file of an exported folder."""
    # As bytes, because str.splitlines also splits at characters that a text may contain.
    lines = (folder / "conformance.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def edit_manifest(folder: Path, **entries: Any) -> None:
    """Replace entries of a folder's manifest."""
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_bytes()) | entries))


def rewrite(folder: Path, name: str, content: bytes) -> None:
    """Replace the content of a file, and its hash in the manifest."""
    (folder / name).write_bytes(content)
    files = json.loads((folder / MANIFEST).read_bytes())["files"]
    files[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    edit_manifest(folder, files=files)


def use_folder(folder: Path) -> None:
    """Read every file of a folder except the conformance file."""
    opened = open_exported(folder, "onnxruntime")
    IntentRecognizer.load(None, folder, backend="onnxruntime").match("lamp on")
    opened.graph("recognizer")


def check_bad_entry(exported: Path, copy: Path, key: str, value: Any) -> None:
    """A folder whose manifest has a bad entry works, or is refused with a message that names it."""
    shutil.copytree(exported, copy)
    edit_manifest(copy, **{key: value})

    try:
        use_folder(copy)
    except PocketIntentError as error:
        assert "manifest.json" in str(error) or "decision" in str(error)


def backend_of(folder: ExportedFolder) -> Any:
    """The backend that runs the graphs of a folder."""
    return next(name for name, runs in BACKENDS.items() if runs == folder.manifest.file_format)


def check_conformance(folder: Path) -> None:
    """The runtime makes the inputs and vectors of the folder's conformance file."""
    opened = open_exported(folder)
    inputs, encoder = opened.inputs(), GraphEncoder(opened)
    recognizer = IntentRecognizer.load(model=folder, backend=backend_of(opened))
    lines = [json.loads(line) for line in opened.read(CONFORMANCE).splitlines()]

    assert (recognizer._bot.corrector is None) == (inputs.vocabulary is None)
    assert len(lines) == 500
    for line in lines:
        text = recognizer.read(line["text"])
        entry = describe_text(inputs(text))
        features = {name: values.nonzero()[0] for name, values in opened.features()(text).items()}
        assert {name: [place for place, _ in line[name]] for name in features} == {
            name: places.tolist() for name, places in features.items()
        }
        fields = {"tokens", "ids", "weights", "token_numbers", "characters"}
        assert entry.keys() == line.keys() & fields
        assert entry.get("tokens") == line.get("tokens")
        assert entry.get("characters") == line.get("characters")
        for name in ("ids", "token_numbers"):
            np.testing.assert_array_equal(entry.get(name, []), line.get(name, []))
        np.testing.assert_allclose(entry.get("weights", []), line.get("weights", []), rtol=1e-6)
        vector = encoder.encode(text)
        np.testing.assert_allclose(vector[: len(line["vector"])], line["vector"], atol=1e-4)
