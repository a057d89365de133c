"""The commands of the laboratory, which `pocketintent` finds by entry points, too."""

from __future__ import annotations

from pocketintent.cli.commands import Command

TRAINERS = (
    Command(
        "sent2vec",
        "pocketintent_lab.cli.train.sent2vec",
        "word vectors whose mean predicts each word of a sentence (Pagliardini et al. 2018)",
    ),
    Command(
        "glove",
        "pocketintent_lab.cli.train.glove",
        "word vectors from co-occurrence counts (Pennington et al. 2014)",
    ),
    Command(
        "masked-lm",
        "pocketintent_lab.cli.train.masked_lm",
        "a small masked language model, for neural embeddings and as a teacher",
    ),
    Command(
        "infersent",
        "pocketintent_lab.cli.train.infersent",
        "a BiLSTM over word vectors, from labelled pairs of sentences (Conneau et al. 2017)",
    ),
    Command(
        "convrr",
        "pocketintent_lab.cli.train.convrr",
        "an adapter that moves the templates of an intent towards each other",
    ),
    Command(
        "terms", "pocketintent_lab.cli.train.terms", "terms of several words, found without labels"
    ),
    Command(
        "words",
        "pocketintent_lab.cli.train.words",
        "word vectors by Word2Vec or FastText, or a model from the vectors of another program",
    ),
)
"""Methods of ``train``, in the order of the help."""

EVALUATIONS = (
    Command(
        "triplets",
        "pocketintent_lab.cli.evaluate.triplets",
        "whether texts of one meaning are nearer to each other than to all other texts",
    ),
    Command(
        "reconstruction",
        "pocketintent_lab.cli.evaluate.reconstruction",
        "word vectors rebuilt by a CharEmb against the original vectors, on STS",
    ),
    Command(
        "encoders",
        "pocketintent_lab.cli.evaluate.encoders",
        "tables of vectors and models side by side, as encoders of whole texts",
    ),
    Command(
        "retrieval",
        "pocketintent_lab.cli.evaluate.retrieval",
        "recall of documents, given questions: embeddings, ensembles, FCRR and ConvRR",
    ),
    Command(
        "terms",
        "pocketintent_lab.cli.evaluate.terms",
        "precision, recall and F1 of a document's terms against its keyphrases",
    ),
)
"""Tasks of ``evaluate``, in the order of the help."""

COMMANDS = (
    Command("train", "pocketintent_lab.cli.train", "train by a method of the laboratory", TRAINERS),
    Command(
        "evaluate",
        "pocketintent_lab.cli.evaluate",
        "measure by a task of the laboratory",
        EVALUATIONS,
    ),
    Command("compare", "pocketintent_lab.cli.compare", "train several algorithms and compare them"),
    Command(
        "sweep",
        "pocketintent_lab.cli.sweep",
        "measure quality and size over many quantiser settings",
    ),
)
"""The subcommands of ``pocketintent-lab``, in the order of the help."""
