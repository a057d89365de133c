"""The units of work of a comparison, each with a key, a result, and the models that it needs."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pocketintent.evaluation.intents.few_shot import evaluate_intents
from pocketintent.evaluation.similarity.sts import evaluate_sts
from pocketintent.records import read_objects, string_field
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.training.loop.work_folder import fingerprint
from pocketintent_lab.comparison.corpora import content_of, write_corpus
from pocketintent_lab.comparison.plan import CorpusPlan, Measures
from pocketintent_lab.comparison.processes import run_command
from pocketintent_lab.comparison.store import Store, key_of

ENCODE_REPEATS = 3
"""Times that the sentences are encoded; the fastest counts."""


class Task(ABC):
    """A unit of work, made once for all plans that have it in common."""

    needs: tuple[TrainTask, ...] = ()
    """The training runs whose models it reads."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What it does, for people."""

    @cached_property
    @abstractmethod
    def key(self) -> str:
        """The hash of all that its result depends on."""

    @abstractmethod
    def run(self, store: Store, claim: int) -> dict[str, Any]:
        """Do the work.

        Args:
            store: Has the models that it needs.
            claim: The descriptor of the claim, for a process that outlives this one.

        Returns:
            JSON values.

        Raises:
            PocketIntentError: The work failed.
        """


@dataclass(frozen=True)
class TrainTask(Task):
    """A training run in a process of its own."""

    name: str
    """Name of the algorithm and of what is special about the run, for people."""
    method: str
    options: tuple[str, ...]
    """The words of the command, without its corpus, ``--out`` and the models of other runs."""
    settings: dict[str, Any]
    """The values of all options, as the command reads them; files by their SHA-256."""
    corpus: CorpusPlan
    corpus_option: str
    share: float
    seed: int
    needs: tuple[TrainTask, ...] = ()
    models: tuple[tuple[str, TrainTask], ...] = ()
    """Options that name the model of another run."""

    @property
    def label(self) -> str:
        """The algorithm, the corpus and the share."""
        share = "" if self.share == 100 else f" {self.share:g}%"
        return f"train {self.name}, {self.corpus.name}{share}, seed {self.seed}"

    @cached_property
    def corpus_key(self) -> str:
        """The key of the share of the corpus."""
        content = content_of(self.corpus)
        return key_of(corpus=content, share=self.share, seed=self.seed)

    @cached_property
    def key(self) -> str:
        """The hash of method, settings, corpus and seed."""
        return key_of(
            kind="train",
            method=self.method,
            settings=self.settings,
            corpus=self.corpus_key,
            models={option: task.key for option, task in self.models},
        )

    def command(self, corpus: Sequence[str], out: str, store: Store) -> list[str]:
        """The words after ``pocketintent``."""
        models = [w for o, task in self.models for w in (f"--{o}", str(store.model(task.key)))]
        return [
            *("train", self.method, f"--{self.corpus_option}", *corpus, "--out", out),
            *self.options,
            *models,
        ]

    def run(self, store: Store, claim: int) -> dict[str, Any]:
        """Train the model and keep it."""
        corpus = write_corpus(self.corpus, self.share, self.seed, store.corpus(self.corpus_key))
        work = store.work(self.key, clean=True)
        out = work / "model.safetensors"
        command = self.command([str(path) for path in corpus.paths], str(out), store)
        record, usage = run_command(command, work, inherit=[claim])
        size = out.stat().st_size
        out.replace(store.model(self.key))
        return {
            **asdict(usage),
            "texts": corpus.texts,
            "words": corpus.words,
            "model_bytes": size,
            "record": record,
        }


@dataclass(frozen=True)
class ModelTask(Task):
    """Work on the model of a training run."""

    model: TrainTask

    @property
    def needs(self) -> tuple[TrainTask, ...]:  # type: ignore[override]
        """The training run."""
        return (self.model,)


@dataclass(frozen=True)
class StsTask(ModelTask):
    """Correlation with scored pairs."""

    pairs: Path

    @property
    def label(self) -> str:
        """The measurement and the model."""
        return f"measure similarity: {self.model.label}"

    @cached_property
    def key(self) -> str:
        """The hash of model and pairs."""
        return key_of(kind="sts", model=self.model.key, pairs=fingerprint(self.pairs))

    def run(self, store: Store, claim: int) -> dict[str, Any]:
        """Correlate the cosines with the scores."""
        return evaluate_sts(load_encoder(store.model(self.model.key)), self.pairs)


@dataclass(frozen=True)
class EncodeTask(ModelTask):
    """The time to encode the sentences of pairs, all at once and one by one."""

    files: tuple[Path, ...]

    @property
    def label(self) -> str:
        """The measurement and the model."""
        return f"time encoding: {self.model.label}"

    @cached_property
    def key(self) -> str:
        """The hash of model and files."""
        files = [fingerprint(path) for path in self.files]
        return key_of(kind="encode", model=self.model.key, files=files, repeats=ENCODE_REPEATS)

    def run(self, store: Store, claim: int) -> dict[str, Any]:
        """Encode all sentences; the CPU time of the fastest of several repeats counts."""
        rows = [(place, row) for path in self.files for place, row in read_objects(path)]
        texts = [string_field(row, key, place) for key in "ab" for place, row in rows]
        batch, single = [], []
        for _ in range(ENCODE_REPEATS):
            # A new encoder each time, since an encoder remembers the words that it has embedded.
            encoder = load_encoder(store.model(self.model.key))
            started = time.process_time()
            encoder.encode_batch(texts)
            batch.append(time.process_time() - started)
            encoder = load_encoder(store.model(self.model.key))
            started = time.process_time()
            for text in texts:
                encoder.encode(text)
            single.append(time.process_time() - started)
        return {"texts": len(texts), "batch_seconds": min(batch), "single_seconds": min(single)}


@dataclass(frozen=True)
class IntentsTask(ModelTask):
    """Few-shot accuracy on an intent data set."""

    folder: Path
    measures: Measures

    @property
    def label(self) -> str:
        """The measurement and the model."""
        return f"measure intents, {self.folder.resolve().name}: {self.model.label}"

    @cached_property
    def key(self) -> str:
        """The hash of model, data and draws."""
        files = [fingerprint(self.folder / f"{n}.jsonl") for n in ("train", self.measures.split)]
        plan = self.measures
        return key_of(
            kind="intents",
            model=self.model.key,
            files=files,
            draws=[plan.shots, plan.draws, plan.decisions],
        )

    def run(self, store: Store, claim: int) -> dict[str, Any]:
        """Measure accuracy at each number of templates."""
        return evaluate_intents(
            load_encoder(store.model(self.model.key)),
            self.folder,
            shots=self.measures.shots,
            runs=self.measures.draws,
            split=self.measures.split,
            decisions=self.measures.decisions,
        )
