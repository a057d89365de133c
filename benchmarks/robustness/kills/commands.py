"""The commands that ``killed_commands.py`` kills: what each reads, writes and repeats."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pocketintent.cli.main import build_parser
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.atomic import new_folder, remove_leftovers
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from torch import nn

    from pocketintent_export.formats import GraphTensor
    from pocketintent_export.writers import Writer

WORDS = (
    *("turn", "switch", "put", "on", "off", "the", "lights", "lamp"),
    *("play", "some", "music", "jazz", "order", "a", "pizza", "please"),
)
TEMPLATES = {"lights_on": ["turn on the lights", "lamp on"], "music": ["play some jazz"]}
MODEL, COMPRESSED = "model.safetensors", "compressed.safetensors"
CORPUS, TEMPLATE_FILE, INTENTS = "corpus.txt", "set.json", "intents"


@dataclass(frozen=True)
class KilledCommand:
    """A command that writes one target."""

    name: str
    """Its name on the command line of the harness."""
    target: str
    """The file or folder that it writes, in the working folder."""
    run: Callable[[Path], object]
    """Runs it in a folder with the inputs."""
    repeat: Callable[[Path], object]
    """The run after a kill."""
    old: bytes | None = None
    """The old content of the target; None if there is none."""
    refusal: str = "nothing"
    """Part of the error of a second run after a complete first one; by default it is repeated."""


def write_inputs(folder: Path) -> None:
    """Write the inputs of all commands to a folder: a model, a corpus, templates, test data."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((len(WORDS), 8)).astype(np.float32)
    counts = np.arange(len(WORDS), 0, -1).astype(np.uint32)
    encoder = StaticEncoder(Vocabulary(WORDS), DenseMatrix(vectors), counts=counts)
    save_model(folder / MODEL, *encoder.to_model_file_parts())
    small = StaticEncoder(
        encoder.vocabulary,
        encode_matrix(vectors, fit_quantizer(vectors, sub_dim=4, codebook_size=4)),
    )
    save_model(folder / COMPRESSED, *small.to_model_file_parts())
    lines = [" ".join(rng.choice(WORDS, 8)) for _ in range(40)]
    (folder / CORPUS).write_text("\n".join(lines), encoding="utf-8")
    (folder / TEMPLATE_FILE).write_text(json.dumps(TEMPLATES), encoding="utf-8")
    (folder / INTENTS).mkdir()
    rows = [{"text": text, "intent": name} for name, texts in TEMPLATES.items() for text in texts]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    for name in ("train.jsonl", "test.jsonl"):
        (folder / INTENTS / name).write_text(content, encoding="utf-8")


def _command(*words: str) -> Callable[[Path], object]:
    """A call of the command line; ``{}`` in a word is the working folder."""

    def run(folder: Path) -> object:
        args = build_parser().parse_args([word.format(folder) for word in words])
        return args.run(args)

    return run


def _save_model(folder: Path) -> None:
    table = DenseMatrix(np.eye(len(WORDS), dtype=np.float32))
    save_model(
        folder / "new.safetensors", *StaticEncoder(Vocabulary(WORDS), table).to_model_file_parts()
    )


def _make_folder(folder: Path) -> None:
    target = folder / "new"
    remove_leftovers(target)
    with new_folder(target) as unfinished:
        (unfinished / "inner").mkdir()
        for name in ("a", "inner/b"):
            (unfinished / name).write_text(name, encoding="utf-8")


def _add_intent(folder: Path) -> None:
    recognizer = IntentRecognizer.load(folder / TEMPLATE_FILE, folder / MODEL)
    recognizer.add_intent("order_food", ["order a pizza please"])
    recognizer.save(folder / "new.json")


def _save_bot(folder: Path) -> None:
    recognizer = IntentRecognizer.load(folder / TEMPLATE_FILE, folder / MODEL)
    recognizer.add_intent("order_food", ["order a pizza please"])
    recognizer.save(folder / "new.safetensors")


def _repeated(
    name: str, target: str, run: Callable[[Path], object], old: bytes | None = b"old"
) -> KilledCommand:
    return KilledCommand(name, target, run, run, old)


def _trained() -> KilledCommand:
    words = ["train", "starspace", "--corpus", f"{{}}/{CORPUS}", "--out", "{}/new.safetensors"]
    words += ["--dim", "4", "--epochs", "2", "--threads", "1"]
    run, resume = _command(*words), _command(*words, "--resume")
    return KilledCommand("starspace", "new.safetensors", run, resume, refusal="is finished")


def _convert_once(write: Writer) -> Writer:
    """A writer that keeps the graphs of the first export, since a conversion takes seconds."""
    graphs: dict[str, bytes] = {}

    def write_again(
        module: nn.Module, inputs: Sequence[GraphTensor], outputs: Sequence[str], path: Path
    ) -> None:
        if path.name in graphs:
            path.write_bytes(graphs[path.name])
            return
        write(module, inputs, outputs, path)
        graphs[path.name] = path.read_bytes()

    return write_again


def _exported() -> KilledCommand:
    words = ["--model", f"{{}}/{COMPRESSED}", "--templates", f"{{}}/{TEMPLATE_FILE}"]
    export = _command("export", *words, "--format", "onnx", "--out", "{}/new")

    def run(folder: Path) -> object:
        from pocketintent_export.writers import WRITERS

        WRITERS["onnx"] = writers.setdefault("onnx", _convert_once(WRITERS["onnx"]))
        return export(folder)

    writers: dict[str, Writer] = {}
    return KilledCommand("export", "new", run, run, refusal="is not empty")


COMMANDS: Sequence[KilledCommand] = (
    KilledCommand("new_folder", "new", _make_folder, _make_folder, refusal="not empty"),
    _repeated("save_model", "new.safetensors", _save_model),
    _repeated("add_intent", "new.json", _add_intent),
    _repeated("save_bot", "new.safetensors", _save_bot),
    _repeated(
        "build",
        "new.safetensors",
        _command(
            *["build", f"{{}}/{TEMPLATE_FILE}", "--model", f"{{}}/{MODEL}"],
            *["--max-words", "4", "--out", "{}/new.safetensors"],
        ),
    ),
    _repeated(
        "compress",
        "new.safetensors",
        _command(
            *["compress", f"{{}}/{MODEL}", "--out", "{}/new.safetensors", "--keep", "12"],
            *["--sub-dim", "4", "--codebook-size", "4"],
        ),
    ),
    _repeated(
        "finish",
        "new.safetensors",
        _command("train", "finish", f"{{}}/{MODEL}", "--out", "{}/new.safetensors"),
    ),
    _repeated(
        "evaluate",
        "new.json",
        _command(
            *["evaluate", "intents", f"{{}}/{INTENTS}", "--model", f"{{}}/{MODEL}"],
            *["--shots", "1", "--runs", "1", "--out", "{}/new.json"],
        ),
        old=None,
    ),
    _repeated(
        "plot",
        "new.png",
        _command(
            *["evaluate", "intents", f"{{}}/{INTENTS}", "--model", f"{{}}/{MODEL}"],
            *["--shots", "1", "--runs", "1", "--plot", "{}/new.png"],
        ),
    ),
    _trained(),
    _exported(),
)
