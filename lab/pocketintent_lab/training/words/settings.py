"""Settings of Word2Vec and FastText."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, check_ngram_lengths, setting


@dataclass(frozen=True)
class WordSettings(Settings):
    """How word vectors are trained.

    The defaults of ``dim``, ``window`` and ``epochs`` are those of the CharEmb paper ("Extracting
    Text Representations for Terms and Phrases in Technical Domains": CBOW, window 8, 25 epochs,
    200 dimensions). The others are gensim's, except ``num_buckets``, which is two million there.
    """

    method: Literal["word2vec", "fasttext"] = setting(
        "word2vec", "`word2vec`, or `fasttext`, which also makes a word of its character n-grams"
    )
    architecture: Literal["cbow", "skipgram"] = setting(
        "cbow",
        "`cbow` predicts a word from the words around it, `skipgram` those words from the word",
    )
    loss: Literal["negative", "hierarchical"] = setting(
        "negative",
        "`negative`, the right word against random words, or `hierarchical`, a softmax over the "
        "branches of a Huffman tree, in which frequent words have short paths",
    )
    dim: int = setting(200, "dimension of the vectors", least=1)
    window: int = setting(8, "context words on each side", least=1, unit="words")
    epochs: int = setting(25, "passes over the corpus", least=1)
    negatives: int = setting(
        5, "`negative` loss: random words that each right word is compared with", least=1
    )
    negative_power: float = setting(
        0.75,
        "`negative` loss: the random words are drawn in proportion to their count to this power: "
        "0 uniformly, 1 by frequency, below 0 rare words more often",
        least=-1,
        most=1,
    )
    subsample: float = setting(
        1e-3, "words above this share of the text are skipped at random; 0 for never", least=0
    )
    # Vectors that overflow would make gensim read outside its table of the sigmoid.
    learning_rate: float = setting(0.025, "initial learning rate", above=0, most=10)
    min_learning_rate: float = setting(
        1e-4, "final learning rate; it falls linearly from the initial one", above=0, most=10
    )
    min_count: int = setting(5, "rarer words get no vector", least=1, unit="occurrences")
    max_words: int | None = setting(
        None, "keep only this many of the most frequent words", least=1, unit="words"
    )
    min_n: int = setting(3, "length of FastText's shortest n-gram", least=1, unit="code points")
    max_n: int = setting(6, "length of FastText's longest n-gram", unit="code points")
    num_buckets: int = setting(
        100_000,
        "rows of FastText's table of n-grams (gensim's default is 2,000,000)",
        least=1,
        unit="buckets",
    )
    tokenizer: Literal["simple", "tweet"] = setting(
        "simple", "`simple` runs on the device, `tweet` is NLTK's"
    )
    seed: int = setting(
        0,
        "seed of every random step; with one worker, a seed gives one result",
        least=0,
        below=2**32,
    )
    workers: int = setting(
        1, "threads; with two or more, results differ from run to run", least=1, unit="threads"
    )

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        super().check()
        if self.min_learning_rate > self.learning_rate:
            raise PocketIntentError(
                f"min_learning_rate must be at most learning_rate, not {self.min_learning_rate} "
                f"with a learning_rate of {self.learning_rate}"
            )
        check_ngram_lengths(self.min_n, self.max_n)
