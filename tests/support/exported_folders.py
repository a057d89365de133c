"""The files of exported folders: what they have, and changes for the tests of what is refused."""

import hashlib
import json
from pathlib import Path
from typing import Any

from pocketintent.runtime.graphs.manifest import MANIFEST


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
