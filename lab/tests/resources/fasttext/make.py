"""Make the files of this folder; run by hand where fastText's own package is installed.

    pip install fasttext-wheel==0.9.2
    python tests/resources/fasttext/make.py

``vectors.json`` has fastText's own vectors of known and unknown words for each file.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import fasttext

FOLDER = Path(__file__).parent
WORDS = ["light", "küche", "kitchens", "überall", "a", "😀", "naïveté", "zzz"]
TEXT = """\
__label__on turn on the light in the kitchen für naïve 😀 people
__label__off please switch off the lamp in der küche über dem licht
__label__learn machine learning of words and vectors
"""


def main() -> None:
    """Train, quantise and write the files."""
    options = {"minCount": 1, "thread": 1, "epoch": 5, "minn": 2, "maxn": 4, "verbose": 0}
    vectors = {}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.txt")
        corpus.write_text(TEXT * 20)
        model = fasttext.train_unsupervised(str(corpus), "skipgram", dim=3, bucket=50, **options)
        vectors["words.bin"] = save(model, "words.bin")
        for name, cutoff in (("quantised.ftz", 0), ("pruned.ftz", 270)):
            model = fasttext.train_supervised(str(corpus), dim=5, bucket=300, **options)
            model.quantize(qnorm=name == "quantised.ftz", cutoff=cutoff, dsub=2)
            vectors[name] = save(model, name)
    text = json.dumps(vectors, indent=1, ensure_ascii=False)
    FOLDER.joinpath("vectors.json").write_text(text + "\n")


def save(model: fasttext.FastText._FastText, name: str) -> dict[str, list[float]]:
    """Save a model, and return its words' vectors."""
    model.save_model(str(FOLDER / name))
    words = [word for word in [*model.words, *WORDS] if word != "</s>"]
    return {word: model.get_word_vector(word).tolist() for word in words}


if __name__ == "__main__":
    main()
