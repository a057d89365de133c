"""Bot files whose parts were changed, with a checksum that fits."""

from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.files.model_file import BOT, load_model, save_model


def change_bot(path: Path, entry: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Change the manifest entry and tensors of the bot in a file; None removes a tensor."""
    model = load_model(path)
    bot = {**model.manifest[BOT], **entry}
    changed = {**model.tensors, **{f"{BOT}.{name}": tensor for name, tensor in tensors.items()}}
    arrays = {name: np.array(tensor) for name, tensor in changed.items() if tensor is not None}
    save_model(path, {**model.manifest, BOT: bot}, arrays)
