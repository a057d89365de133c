"""``pocketintent train starspace``, ``charemb`` and the other methods: a table.

The pipeline of a method is imported when it runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from pocketintent.cli.options.model import encoder_path, model_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.shared import OPTIONS
from pocketintent.cli.options.training import add_run_options, print_record, run_options
from pocketintent.cli.options.types import input_file, output_file, whole_number
from pocketintent.settings import Settings
from pocketintent.training.charemb.settings import PRESETS, CharEmbSettings
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.loop.devices import prepare_torch
from pocketintent.training.starspace.settings import StarSpaceSettings
from pocketintent.training.transformer.settings import TransformerSettings


@dataclass(frozen=True)
class Method:
    """A way to train an encoder."""

    description: str
    examples: str
    pipeline: tuple[str, str]
    """Module and name of the function that trains: from inputs, output, settings and options of
    the run to the record of the run."""
    settings: type[Settings]
    options: tuple[str, ...]
    """The settings that are options."""
    arguments: Mapping[str, Mapping[str, Any]]
    """The options that are arguments of the function, the inputs first: a shared option, and what
    differs from it, or one of its own."""
    presets: Mapping[str, Any] = field(default_factory=dict)
    """Values of the settings by name, for ``--preset``; the first is the default."""
    title: str = "settings"


_RESUMING = """
Stop a run at any time; --resume continues it and gives the same model as an uninterrupted run."""

_TAUGHT: dict[str, dict[str, Any]] = {
    "--paraphrases": {
        "nargs": "+",
        "default": [],
        "type": input_file,
        "help": "texts that mean the same: bots (.json), groups (.jsonl)",
    },
    "--corpus": {
        "default": [],
        "help": "texts for the codebook of templates and the background (those of --start)",
    },
    "--precision": {},
    "--max-minutes": {},
}
"""Arguments of the methods that learn a teacher's vectors."""

METHODS = {
    "starspace": Method(
        "Train StarSpace embeddings.",
        """\
examples:
  pocketintent train starspace --corpus chats.txt.gz --out chats.safetensors
  pocketintent train starspace --corpus a.txt b.jsonl --out model.safetensors \\
      --dim 256 --no-share-sides --subsample 1e-3 --epochs 5 --min-count 2
  pocketintent train starspace --corpus utterances.jsonl --mode labelled --out model.safetensors
  pocketintent train starspace --corpus chats.txt.gz --settings starspace.toml --out m.safetensors

A corpus is text (one utterance, sentence or paragraph per line; sentences of one document
separated by tabs), or .jsonl with "text" and, for labelled mode, "intent"; both may be .gz.""",
        ("pocketintent.training.starspace.pipeline", "train_starspace"),
        StarSpaceSettings,
        ("mode", "dim", "share_sides", "epochs", "min_count", "max_words", "subsample", "seed"),
        {"--corpus": {"required": True}},
    ),
    "charemb": Method(
        "Train a character network to produce the vectors of a table from its terms.",
        """\
examples:
  pocketintent train charemb --target vectors.txt.gz --preset small --device cuda \\
      --out charemb.safetensors
  pocketintent train charemb --target fast --reads words --preset tiny \\
      --threads 1 --max-minutes 30 --out tiny.safetensors
  torchrun --nproc-per-node 4 -m pocketintent train charemb --device cuda --preset base \\
      --target vectors.bin --out base.safetensors --resume

A target is a file of vectors (word2vec, GloVe, fastText, StarSpace) or a model of word vectors.""",
        ("pocketintent.training.charemb.pipeline", "train_charemb"),
        CharEmbSettings,
        ("reads", "epochs", "seed"),
        {
            "--target": OPTIONS["--targets"]
            | {"help": "vectors to learn: files or shipped models"},
            "--limit": {"type": whole_number(1), "help": "terms read from each target (all)"},
            "--float-out": {"type": output_file, "help": "also write the model in float32"},
            "--weights": {
                "choices": ("int8", "codebook", "float32"),
                "default": "int8",
                "help": "how weights are stored: 8 bits, codes of 4 bits, unchanged (%(default)s)",
            },
            "--precision": {},
            "--max-minutes": {},
        },
        PRESETS,
        title="settings that change the preset (the defaults shown are those of tiny)",
    ),
    "distil": Method(
        "Fit word vectors to the vectors that a sentence encoder gave to texts.",
        """\
examples:
  pocketintent train targets --teacher minilm/ --words words.safetensors --out words.tsv
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --out utterances.bin
  pocketintent train distil --targets words.tsv utterances.bin --out sums.safetensors
  pocketintent train finish sums.safetensors --out finished.safetensors --settings finish.toml

Targets are files written by `train targets`: as many utterances of the expected kind as possible,
and single words, which give rare words a meaning.""",
        ("pocketintent.training.distil.pipeline", "train_distilled"),
        DistilSettings,
        ("dim", "epochs", "seed"),
        {"--targets": {}},
    ),
    "contextual": Method(
        "Fit words, and a small network that changes them by their neighbours, to the vectors that "
        "a sentence encoder gave to texts, and to paraphrases.",
        """\
examples:
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --out targets.bin
  pocketintent train contextual --targets targets.bin --out contextual.safetensors
  pocketintent compress contextual.safetensors --out small.safetensors --sub-dim 4
  pocketintent train contextual --targets targets.bin --start small.safetensors --epochs 1 \\
      --learning-rate 0.0005 --corpus chats.txt.gz --out my_model.safetensors
  pocketintent train targets --teacher minilm/ --templates my_bot.json --out my_bot.bin
  pocketintent train contextual --targets my_bot.bin --start fast --epochs 20 \\
      --learning-rate 0.0005 --batch-words 256 --out my_model.safetensors

With --start the run goes on from a contextual model, whose words, dimensions and codes stay as they
are: it wins back most of what compression loses, and adapts a model to a bot.""",
        ("pocketintent.training.contextual.pipeline", "train_contextual"),
        ContextualSettings,
        ("dim", "epochs", "learning_rate", "batch_words", "seed"),
        {
            "--targets": {},
            "--start": {"type": model_file, "metavar": "MODEL", "help": "model to go on from"},
            **_TAUGHT,
        },
    ),
    "transformer": Method(
        "Fit a small transformer to the vectors that a sentence encoder gave to texts, and to "
        "paraphrases.",
        """\
examples:
  pocketintent train targets --teacher mpnet/ --texts chats.txt.gz --out targets.bin
  pocketintent train transformer --targets targets.bin --start minilm/ --out trained.safetensors
  pocketintent train transformer --targets targets.bin --start minilm/ \\
      --paraphrases bots/*.json paraphrases.jsonl --out trained.safetensors
  pocketintent compress trained.safetensors --out small.safetensors --sub-dim 4 --codebook-size 256
  pocketintent train transformer --targets targets.bin --start small.safetensors --epochs 1 \\
      --paraphrases bots/*.json paraphrases.jsonl --corpus chats.txt.gz --out my_model.safetensors

--start is the folder of a BERT, such as MiniLM, of which layers are taken, or a transformer model
to go on from, whose sizes, words and codes stay. docs/transformer.md describes paraphrases.""",
        ("pocketintent.training.transformer.pipeline", "train_transformer"),
        TransformerSettings,
        ("epochs", "learning_rate", "seed"),
        {
            "--targets": {},
            "--start": {
                "required": True,
                "type": encoder_path,
                "metavar": "MODEL",
                "help": "folder of a BERT, or model to go on from",
            },
            **_TAUGHT,
        },
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the method that the parser is named after."""
    method = METHODS[parser.prog.rpartition(" ")[2]]
    parser.description = f"{method.description} Prints the record of the run as JSON."
    parser.epilog = method.examples + _RESUMING
    parser.set_defaults(run=partial(_train, method))
    for name, changes in method.arguments.items():
        parser.add_argument(name, **{**OPTIONS.get(name, {}), **changes})
    if presets := tuple(method.presets):
        help = "values of the settings that are not given (%(default)s)"
        parser.add_argument("--preset", choices=presets, default=presets[0], help=help)
        parser.set_defaults(preset_values=lambda args: asdict(method.presets[args.preset]))
    add_run_options(parser)
    add_settings(parser, method.settings, options=method.options, title=method.title)


def _train(method: Method, args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    module, function = method.pipeline
    inputs, *more = [name.removeprefix("--").replace("-", "_") for name in method.arguments]
    record = getattr(import_module(module), function)(
        getattr(args, inputs),
        args.out,
        read_settings(args, method.settings),
        run_options(args),
        **{name: getattr(args, name) for name in more},
    )
    print_record({"out": str(args.out), **record})
    return 0
