"""``pocketintent train``: learn an encoder from a corpus."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import Command, add_commands

METHODS = (
    Command(
        "starspace",
        "pocketintent.cli.train.starspace",
        "word embeddings learnt by ranking (Wu et al. 2018)",
    ),
    Command(
        "sent2vec",
        "pocketintent.cli.train.sent2vec",
        "word vectors whose mean predicts each word of a sentence (Pagliardini et al. 2018)",
    ),
    Command(
        "glove",
        "pocketintent.cli.train.glove",
        "word vectors from co-occurrence counts (Pennington et al. 2014)",
    ),
    Command(
        "charemb",
        "pocketintent.cli.train.charemb",
        "vectors of any text from its characters, learnt from a table of vectors",
    ),
    Command(
        "distil",
        "pocketintent.cli.train.distil",
        "word vectors whose sums approximate the vectors of a sentence encoder",
    ),
    Command(
        "contextual",
        "pocketintent.cli.train.contextual",
        "words and a network that changes them by their neighbours, from a sentence encoder",
    ),
    Command(
        "masked-lm",
        "pocketintent.cli.train.masked_lm",
        "a small masked language model, for neural embeddings and as a teacher",
    ),
    Command(
        "infersent",
        "pocketintent.cli.train.infersent",
        "a BiLSTM over word vectors, from labelled pairs of sentences (Conneau et al. 2017)",
    ),
    Command(
        "convrr",
        "pocketintent.cli.train.convrr",
        "an adapter that moves the templates of an intent towards each other",
    ),
    Command(
        "terms", "pocketintent.cli.train.terms", "terms of several words, found without labels"
    ),
    Command(
        "finish",
        "pocketintent.cli.train.finish",
        "weight the words of a trained model and add dimensions for their character n-grams",
    ),
    Command(
        "words",
        "pocketintent.cli.train.words",
        "word vectors by Word2Vec or FastText, or a model from the vectors of another program",
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
  pocketintent train finish trained.safetensors --out finished.safetensors
  pocketintent train terms --corpus papers.txt.gz --out terms.tsv
  pocketintent train words --corpus papers.txt.gz --terms terms.tsv --out words.safetensors
  pocketintent train charemb --target words.safetensors --reads words --out charemb.safetensors
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
    add_commands(parser, "METHOD", METHODS)
