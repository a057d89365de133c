"""Learn an encoder from a corpus.

The model is not yet compressed; see `pocketintent compress`.

Examples:
  pocketintent train starspace --corpus chats.txt.gz --out trained.safetensors
  pocketintent train starspace --corpus chats.txt.gz --settings starspace.toml --out m.safetensors
  pocketintent train METHOD --help
"""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import Command, add_commands, plugin_commands

_ALONE = ("finish", "targets")  # methods with a module of their own

METHODS = tuple(
    Command(name, f"pocketintent.cli.train.{name if name in _ALONE else 'methods'}", summary)
    for name, summary in {
        "starspace": "word embeddings learnt by ranking (Wu et al. 2018)",
        "charemb": "vectors of any text from its characters, learnt from a table of vectors",
        "distil": "word vectors whose sums approximate the vectors of a sentence encoder",
        "contextual": "words that their neighbours change, learnt from a sentence encoder",
        "finish": "weight the words of a model and add dimensions for their character n-grams",
        "targets": "vectors of texts by a sentence encoder, to distil a small model from",
    }.items()
)
"""The methods, in the order of the help."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the methods of ``train``."""
    add_commands(parser, "METHOD", METHODS + plugin_commands("train"))
