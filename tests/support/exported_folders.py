"""Changes to exported folders, for the tests of what is refused."""

import hashlib
import json
from pathlib import Path
from typing import Any

from pocketintent.runtime.graphs.manifest import MANIFEST


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
