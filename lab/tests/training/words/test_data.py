from pathlib import Path

from pocketintent_lab.training.words.data import load_tokenised, tokenise_corpus
from pocketintent_lab.training.words.settings import WordSettings


def test_a_corpus_joined_into_one_long_line_has_the_same_words(tmp_path: Path) -> None:
    lines = [f"the red light number {number}" for number in range(400)]
    corpora = []
    for name, separator in (("lines", "\n"), ("line", " ")):
        corpus, folder = tmp_path / f"{name}.txt", tmp_path / name
        corpus.write_text(separator.join(lines))
        folder.mkdir()
        tokenise_corpus([corpus], None, folder, WordSettings(min_count=1), lambda line: None)
        read = load_tokenised(folder)
        corpora.append((read.words.words, read.num_tokens, read.path.read_text().split()))
    assert corpora[0][1] == 2000
    assert corpora[0] == corpora[1]
