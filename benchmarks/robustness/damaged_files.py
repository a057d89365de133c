"""Open damaged files by the thousand: each is refused by its own error or gives finite scores.

    python -m benchmarks.robustness.damaged_files models --count 100000
    python -m benchmarks.robustness.damaged_files bots --count 20000
    python -m benchmarks.robustness.damaged_files templates --count 200000
    python -m benchmarks.robustness.damaged_files folders --count 2000 --format onnx
    python -m benchmarks.robustness.damaged_files folders --count 2000 --format tflite

``folders`` needs the extra `export`. One JSON object goes to stdout: the files that were refused,
opened and, by any other error or by a score that is not finite, failed. A failure goes to stderr
with its number, and the status is 1: `--seed NUMBER --count 1` repeats it. docs/robustness.md has
the figures; the tests run a short form.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.memory import peak_bytes
from benchmarks.robustness.hostile_files import bots as hostile_bots
from benchmarks.robustness.hostile_files import models as hostile_models
from benchmarks.robustness.hostile_files import templates as hostile_templates
from pocketintent.bot.template_checks import check_templates
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import MAX_MESSAGE, ModelFileError, TemplateError
from pocketintent.runtime.graphs.folder import BACKENDS
from pocketintent.runtime.opening import Backend
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.templates.template_set import parse_templates

if TYPE_CHECKING:
    from benchmarks.robustness.hostile_files.folders import Folders

TEMPLATES = {"on": ["turn on the light", "light on"], "music": ["play music", "musik please"]}
TEXTS = ("turn on the light", "plai sme music", "", "x", "\u200b\ud800 🙂", "the " * 40)
MEMORY = 4 << 30
"""Address space that a file may use beyond what the process uses before."""

Check = Callable[[int, np.random.Generator, Path], str]
"""Writes the file of a number under a path, opens it, and says what became of it."""


def check_model(models: Sequence[hostile_models.Parts] = ()) -> Check:
    """The check of one model file.

    Args:
        models: The models to damage; by default small ones of every kind of the product.
    """
    models = models or hostile_models.tiny_models(np.random.default_rng(0))

    def check(number: int, rng: np.random.Generator, path: Path) -> str:
        path.write_bytes(hostile_models.mutate(models[number % len(models)], rng))
        try:
            encoder = load_encoder(path)
        except ModelFileError as error:
            return _refused(error)
        check_scores(encoder, table=number % 8 == 0)
        return "opened"

    return check


def check_bot() -> Check:
    """The check of one bot file; some are edited and saved too."""
    bots = hostile_bots.tiny_bots(np.random.default_rng(0))

    def check(number: int, rng: np.random.Generator, path: Path) -> str:
        path.write_bytes(hostile_bots.mutate(bots[number % len(bots)], rng))
        with np.errstate(all="ignore"):
            try:
                recognizer = IntentRecognizer.load(path)
            except (ModelFileError, TemplateError) as error:
                return _refused(error)
            _check_matches(recognizer)
            if number % 8 == 0:
                _check_edit(recognizer, path.with_name("edited.safetensors"))
        return "opened"

    return check


def check_template_file() -> Check:
    """The check of one template file."""

    def check(number: int, rng: np.random.Generator, path: Path) -> str:
        path.write_bytes(hostile_templates.mutate(rng))
        try:
            templates = load_templates(path)
        except TemplateError as error:
            return _refused(error)
        assert parse_templates(templates.to_dict()) == templates
        assert all(len(warning) <= MAX_MESSAGE for warning in check_templates(templates))
        return "opened"

    return check


def check_exported(file_format: str) -> Check:
    """The check of one exported folder of a tiny model."""
    from benchmarks.robustness.hostile_files.folders import Folders

    return check_folder(Folders.of_tiny_models(file_format), FORMATS[file_format])


def check_folder(folders: Folders, backend: Backend) -> Check:
    """The check of one exported folder.

    Args:
        folders: Writes the damaged folders.
        backend: The backend that opens them.
    """

    def check(number: int, rng: np.random.Generator, path: Path) -> str:
        folders.write_damaged(number, rng, path)
        try:
            recognizer = IntentRecognizer.load(None, path, backend=backend)
        except (ModelFileError, TemplateError) as error:
            return _refused(error)
        try:
            _check_matches(recognizer)
        except ModelFileError as error:  # a graph whose numbers overflow on some texts alone
            return f"{_refused(error)} at a match"
        return "opened"

    return check


CHECKS: dict[str, Callable[[], Check]] = {
    "models": check_model,
    "bots": check_bot,
    "templates": check_template_file,
}
FORMATS: dict[str, Any] = {file_format: backend for backend, file_format in BACKENDS.items()}
"""The backend that opens exported folders of each format."""


def check_scores(encoder: Encoder, *, table: bool) -> None:
    """Match texts, one by one and as a batch, and check that each score is finite.

    Args:
        encoder: The encoder of a damaged file that was opened.
        table: Search the templates' codes and not their vectors.
    """
    with np.errstate(all="ignore"):
        _check_matches(IntentRecognizer(encoder, TEMPLATES, search="table" if table else "exact"))


def _check_matches(recognizer: IntentRecognizer) -> None:
    for match in [*map(recognizer.match, TEXTS), *recognizer.match_batch(TEXTS)]:
        assert math.isfinite(match.score), f"score {match.score}"


def _check_edit(recognizer: IntentRecognizer, path: Path) -> None:
    """Edit a recogniser and save it; the file must answer as it does."""
    recognizer.add_intent("new", ["turn the music on", "plai"])
    _check_matches(recognizer)
    recognizer.save(path)
    loaded = IntentRecognizer.load(path)
    assert [*map(loaded.match, TEXTS)] == [*map(recognizer.match, TEXTS)], "another answer"


def _refused(error: Exception) -> str:
    assert len(str(error)) <= MAX_MESSAGE + 10, "the message is too long"
    return "refused"


def run(check: Check, count: int, seed: int, folder: Path) -> Counter[str]:
    """Check damaged files.

    Args:
        check: A check of ``CHECKS``.
        count: Number of files.
        seed: Seed of the first file; each file has the next seed.
        folder: Folder to write to; the last file is left there.

    Returns:
        Number of files by what became of them.

    """
    results = Counter(refused=0, opened=0, failed=0)
    for number in range(seed, seed + count):
        try:
            results[check(number, np.random.default_rng(number), folder / "file")] += 1
        except Exception as error:
            results["failed"] += 1
            print(
                f"file of seed {number}: {type(error).__name__} {str(error)[:300]!r}",
                file=sys.stderr,
            )
        if number % 10_000 == 9_999:
            print(f"{dict(results)}", file=sys.stderr)
    return results


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", choices=[*CHECKS, "folders"], help="what to damage")
    parser.add_argument(
        "--format", choices=FORMATS, default="onnx", help="graphs of the folders (%(default)s)"
    )
    parser.add_argument("--count", type=int, default=10_000, help="number of files (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file (%(default)s)")
    args = parser.parse_args()
    start = time.monotonic()
    check = check_exported(args.format) if args.files == "folders" else CHECKS[args.files]()
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (peak_bytes() + MEMORY, hard))
    with tempfile.TemporaryDirectory() as folder:
        results = run(check, args.count, args.seed, Path(folder))
    figures = {"files": args.count, "seed": args.seed, **results}
    seconds = round(time.monotonic() - start)
    print(json.dumps({**figures, "seconds": seconds, "peak_bytes": peak_bytes()}))
    sys.exit(1 if results["failed"] else 0)


if __name__ == "__main__":
    main()
