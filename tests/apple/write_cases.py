"""Write bot files and their conformance files, for the tests of the Swift package.

python tests/apple/write_cases.py sdk/apple/Tests/PocketIntentTests/Cases
"""

import sys
from pathlib import Path

import orjson

from pocketintent import IntentRecognizer
from pocketintent_export.conformance import make_conformance
from pocketintent_export.kinds.registry import export_of

BOTS = (
    ("smart_home", "tiny"),
    ("banking_support", "tiny"),
    ("travel", "fast"),
    ("small_talk", "tiny"),
    ("smart_home", "default"),
)
"""Shipped sets and models."""


def write_cases(folder: Path, bots: tuple[tuple[str, str], ...] = BOTS) -> None:
    """Write a bot file of each set and model, and beside it its conformance file.

    A line also has ``read``, the text with its typing errors corrected.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for templates, model in bots:
        recognizer = IntentRecognizer.load(templates, model, backend="numpy")
        path = folder / f"{templates}-{model}.safetensors"
        recognizer.save(path)
        inputs = export_of(recognizer.encoder).inputs()
        lines = make_conformance(recognizer._bot, inputs, seed=0)
        whole = [line | {"read": recognizer.read(line["text"])} for line in lines]
        content = [orjson.dumps(line, option=orjson.OPT_SERIALIZE_NUMPY) for line in whole]
        path.with_suffix(".jsonl").write_bytes(b"".join(line + b"\n" for line in content))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_cases(Path(sys.argv[1]))
