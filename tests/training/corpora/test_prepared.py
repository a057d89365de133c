from pathlib import Path

import pytest

pytest.importorskip("torch")
from pocketintent.training.corpora.prepared import load_prepared, prepare_corpus
from pocketintent.training.starspace.settings import StarSpaceSettings


def test_a_corpus_joined_into_one_long_line_has_the_same_words(tmp_path: Path) -> None:
    lines = [f"the red light number {number}" for number in range(400)]
    ids = []
    for name, separator in (("lines", "\n"), ("line", " "), ("tabs", "\t")):
        corpus, folder = tmp_path / f"{name}.txt", tmp_path / name
        corpus.write_text(separator.join(lines))
        folder.mkdir()
        prepare_corpus([corpus], folder, StarSpaceSettings(min_count=1), lambda line: None)
        prepared = load_prepared(folder)
        ids.append((prepared.words.words, prepared.corpus.ids.tolist()))
    assert len(ids[0][1]) == 2000
    assert ids == ids[:1] * 3
