"""Settings files for calls of the command."""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def settings_file(**values: Any) -> tuple[str, str]:
    """The words ``--settings FILE`` of a file with values, by the names of the settings.

    The name of the file comes from its content, so that the processes of a test run, which name
    their tests after their arguments, agree on it.
    """
    text = "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
    folder = Path(tempfile.gettempdir()) / "pocketintent-settings"
    folder.mkdir(exist_ok=True)
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.toml"
    if not path.exists():
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write(text)
        os.replace(file.name, path)
    return "--settings", str(path)
