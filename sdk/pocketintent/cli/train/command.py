"""``pocketintent train``: learn an encoder from a corpus."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import Command, add_commands, plugin_commands

METHODS = (
    *(
        Command(name, "pocketintent.cli.train.methods", summary)
        for name, summary in {
            "starspace": "word embeddings learnt by ranking (Wu et al. 2018)",
            "charemb": "vectors of any text from its characters, learnt from a table of vectors",
            "distil": "word vectors whose sums approximate the vectors of a sentence encoder",
            "contextual": "words that their neighbours change, learnt from a sentence encoder",
        }.items()
    ),
    Command(
        "finish",
        "pocketintent.cli.train.finish",
        "weight the words of a model and add dimensions for their character n-grams",
    ),
    Command(
        "targets",
        "pocketintent.cli.train.targets",
        "vectors of texts by a sentence encoder, to distil a small model from",
    ),
)
"""The methods, in the order of the help."""

EXAMPLES = """\
examples:
  pocketintent train starspace --corpus chats.txt.gz --out trained.safetensors
  pocketintent train starspace --write-settings starspace.toml
  pocketintent train starspace --corpus chats.txt.gz --settings starspace.toml --out m.safetensors
  pocketintent train METHOD --help

A corpus is text (one utterance, sentence or paragraph per line; sentences of one document
separated by tabs), or .jsonl with "text" and, for labelled mode, "intent"; both may be .gz.
Stop a run at any time; --resume continues it and gives the same model as an uninterrupted run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the methods of ``train``."""
    parser.description = (
        "Learn an encoder from a corpus. The model is not yet compressed; see "
        "`pocketintent compress`."
    )
    parser.epilog = EXAMPLES
    add_commands(parser, "METHOD", METHODS + plugin_commands("train"))
