"""Words that StarSpace training reads in a second of CPU time, on one thread.

    python -m lab_benchmarks.training.starspace --corpus stsb.txt

Times the whole step: building the batch, gradients and update. Prints one JSON line for each
setting. Start-up, and counting and encoding the corpus, are left out; the first pass warms up.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.encoded import EncodedCorpus, encode_corpus
from pocketintent.training.corpora.reader import read_corpus, read_texts
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.starspace.data import WordBatches
from pocketintent.training.starspace.model import StarSpace
from pocketintent.training.starspace.settings import StarSpaceSettings


def main(argv: Sequence[str] | None = None) -> int:
    """Time training with the thesis' settings, rows of 32 and of 64 slots."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--epochs", type=int, default=5, help="timed passes (%(default)s)")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    counted = count_vocabulary(simple_tokenize(text) for text in read_texts(args.corpus))
    vocabulary = Vocabulary(counted.words)
    with tempfile.TemporaryDirectory() as folder:
        corpus = encode_corpus(
            read_corpus(args.corpus),
            lambda text: vocabulary.ids(simple_tokenize(text)),
            Path(folder),
            split=lambda text: [text],
            label_ids={},
        )
        for row_length in (32, 64):
            settings = StarSpaceSettings(row_length=row_length)
            print(json.dumps(measure(settings, corpus, counted, args.epochs)), flush=True)
    return 0


def measure(
    settings: StarSpaceSettings, corpus: EncodedCorpus, counted: CountedVocabulary, epochs: int
) -> dict[str, Any]:
    """Words per CPU second: median, minimum and maximum over the epochs, after one to warm up."""
    model = StarSpace(settings, counted.words)
    batches = WordBatches(corpus, counted.counts, settings)
    rates = []
    for epoch in range(epochs + 1):
        started = time.process_time()
        batches.start_epoch(epoch)
        for number in range(len(batches)):
            model.step(model.gradients(batches.batch(number)), settings.learning_rate)
        rates.append(batches.words_per_epoch / (time.process_time() - started))
    rates = [round(rate) for rate in rates[1:]]
    return {
        "row_length": settings.row_length,
        "dim": settings.dim,
        "words_per_epoch": batches.words_per_epoch,
        "words_per_cpu_second": statistics.median(rates),
        "least": min(rates),
        "most": max(rates),
    }


if __name__ == "__main__":
    raise SystemExit(main())
