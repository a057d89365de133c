"""The tasks of a comparison that prune and quantise a trained model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pocketintent.compression.kinds import words_of
from pocketintent.compression.prune import (
    keep_frequent,
    keep_longest,
    load_word_model,
    read_sentences,
)
from pocketintent.evaluation.similarity.sts import evaluate_sts
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.loop.work_folder import fingerprint
from pocketintent_lab.comparison.corpora import write_corpus
from pocketintent_lab.comparison.plan import Compression
from pocketintent_lab.comparison.processes import run_command
from pocketintent_lab.comparison.store import Store, key_of
from pocketintent_lab.comparison.tasks import ModelTask
from pocketintent_lab.compression.sweep import tensor_bytes


@dataclass(frozen=True)
class PruneTask(ModelTask):
    """Correlation of a model that keeps some of its words."""

    pairs: Path
    method: str
    keep: int

    @property
    def label(self) -> str:
        """The number of words and the model."""
        return f"prune by {self.method} to {self.keep} words: {self.model.label}"

    @cached_property
    def key(self) -> str:
        """The hash of model, pairs, and the choice of the words."""
        return key_of(
            kind="prune",
            model=self.model.key,
            pairs=fingerprint(self.pairs),
            method=self.method,
            keep=self.keep,
        )

    def run(self, store: Store, claim: int) -> dict[str, Any]:
        """Prune the model and correlate."""
        encoder = load_word_model(store.model(self.model.key))
        if self.method == "frequency":
            encoder = keep_frequent(encoder, self.keep)
        else:
            folder = store.corpus(self.model.corpus_key)
            corpus = write_corpus(self.model.corpus, self.model.share, self.model.seed, folder)
            sentences = read_sentences(encoder, read_texts(corpus.paths))
            try:
                encoder = keep_longest(encoder, sentences, self.keep)
            except PocketIntentError as error:
                return {"refused": str(error)}  # too few words for the sentences: a result too
        words = len(words_of(encoder).vocabulary)
        return {"words": words, **tensor_bytes(encoder), **evaluate_sts(encoder, self.pairs)}


@dataclass(frozen=True)
class SweepTask(ModelTask):
    """The grid of ``pocketintent-lab sweep`` for one way to quantise."""

    pairs: Path
    compression: Compression
    variant: str

    @property
    def label(self) -> str:
        """The variant and the model."""
        return f"quantise, {self.variant}: {self.model.label}"

    @cached_property
    def key(self) -> str:
        """The hash of model, pairs and grid."""
        plan = self.compression
        return key_of(
            kind="sweep",
            model=self.model.key,
            pairs=fingerprint(self.pairs),
            grid=[self.variant, plan.sub_dims, plan.codebook_sizes, plan.sample],
            seed=self.model.seed,
        )

    def command(self, model: str, out: str) -> list[str]:
        """The words after ``pocketintent-lab``."""
        plan = self.compression
        return [
            *("sweep", model, "--out", out, "--no-plot", "--sts", str(self.pairs)),
            *("--sub-dims", ",".join(map(str, plan.sub_dims))),
            *("--codebook-sizes", ",".join(map(str, plan.codebook_sizes))),
            *("--variants", self.variant),
            *("--sample", str(plan.sample), "--seed", str(self.model.seed)),
        ]

    def run(self, store: Store, claim: int) -> dict[str, Any]:
        """Run the sweep, or continue it."""
        work = store.work(self.key, clean=False)
        command = self.command(str(store.model(self.model.key)), str(work))
        table, _ = run_command(command, work, module="pocketintent_lab", inherit=[claim])
        return table
