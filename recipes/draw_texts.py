"""The texts on which the shipped models are trained, drawn from the public corpora.

    python recipes/draw_texts.py ../shared/data/corpus runs/texts.txt

All of everyday and support, and a draw of the others, whose lines resemble each other: the texts
of at most 22 words, each once. all-mpnet-base-v2 takes some 30 ms of a core for a text.
"""

from __future__ import annotations

import argparse
import gzip
import random
from pathlib import Path

MOST_WORDS = 22
DRAWN = {
    "queries": 16_000,
    "multidogo": 20_000,
    "taskmaster": 9_000,
    "sgd": 30_000,
    "topical_chat": 15_000,
}
"""Number of texts of each corpus."""


def read_corpus(corpora: Path, name: str) -> list[str]:
    """The distinct lines that are short enough, with single spaces."""
    with gzip.open(corpora / f"{name}.txt.gz", "rt", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return list(dict.fromkeys(" ".join(w) for w in lines if 0 < len(w) <= MOST_WORDS))


def draw_texts(corpora: Path) -> list[str]:
    """The texts, each once."""
    texts = [t for name in ("everyday", "support") for t in read_corpus(corpora, name)]
    for name, number in DRAWN.items():
        own = read_corpus(corpora, name)
        random.Random(1).shuffle(own)
        texts += own[:number]
    return list(dict.fromkeys(texts))


def main() -> None:
    """Write the texts, one on each line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", type=Path, help="folder of the corpora, NAME.txt.gz")
    parser.add_argument("out", type=Path, help="file to write")
    args = parser.parse_args()
    texts = draw_texts(args.corpora)
    args.out.write_text("\n".join(texts) + "\n", encoding="utf-8")
    print(f"{len(texts)} texts")


if __name__ == "__main__":
    main()
