"""Settings files for calls of the command."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_FOLDER = TemporaryDirectory()  # removed when the tests end


def settings_file(**values: Any) -> tuple[str, str]:
    """The words ``--settings FILE`` of a file with values, by the names of the settings."""
    path = Path(_FOLDER.name) / f"{len(list(Path(_FOLDER.name).iterdir()))}.toml"
    path.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items()))
    return "--settings", str(path)
