import gzip
from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.comparison.corpora import content_of, write_corpus
from pocketintent_lab.comparison.plan import CorpusPlan


@pytest.fixture
def corpus(tmp_path: Path) -> CorpusPlan:
    text = "".join(f"line {number}\n" for number in range(50))
    (tmp_path / "plain.txt").write_text(text + "\n")
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(b"packed line here\n" * 10))
    return CorpusPlan("corpus", (tmp_path / "plain.txt", tmp_path / "packed.txt.gz"))


def test_a_whole_corpus_keeps_its_lines_and_counts_its_words(
    corpus: CorpusPlan, tmp_path: Path
) -> None:
    files = write_corpus(corpus, 100, 0, tmp_path / "all")
    assert [path.name for path in files.paths] == ["0-plain.txt", "1-packed.txt"]
    assert files.paths[0].read_text() == "".join(f"line {number}\n" for number in range(50))
    assert (files.texts, files.words) == (60, 50 * 2 + 10 * 3)


def test_shares_are_nested_samples_in_order(corpus: CorpusPlan, tmp_path: Path) -> None:
    lines = {
        share: write_corpus(corpus, share, 3, tmp_path / f"{share}")
        .paths[0]
        .read_text()
        .split("\n")
        for share in (10, 60)
    }
    assert (len(lines[10]), len(lines[60])) == (6, 31)  # with the end of the last line
    assert set(lines[10]) < set(lines[60])
    numbers = [int(line.split()[1]) for line in lines[60][:-1]]
    assert numbers == sorted(numbers)
    other = write_corpus(corpus, 10, 4, tmp_path / "other").paths[0].read_text().split("\n")
    assert other != lines[10]


def test_a_share_is_written_once(corpus: CorpusPlan, tmp_path: Path) -> None:
    first = write_corpus(corpus, 10, 0, tmp_path / "share")
    first.paths[0].write_text("unchanged")
    assert write_corpus(corpus, 10, 0, tmp_path / "share") == first
    assert first.paths[0].read_text() == "unchanged"


def test_the_sentences_of_pairs_are_a_corpus(folder: Path, tmp_path: Path) -> None:
    corpus = CorpusPlan("sts", pairs=(folder / "pairs.jsonl",))
    files = write_corpus(corpus, 100, 0, tmp_path / "share")
    lines = files.paths[0].read_text().splitlines()
    assert lines[:2] == ["turn on the lamp", "turn off the lamp"]
    assert lines[4:6] == ["stop the music", "turn on the lamp"]
    assert files.texts == len(lines) == 8


def test_the_words_of_json_lines_are_those_of_their_strings(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"text": "two words", "score": 3}\n["not read"]\n')
    corpus = CorpusPlan("corpus", (tmp_path / "corpus.jsonl",))
    assert write_corpus(corpus, 100, 0, tmp_path / "share").words == 2


def test_a_table_and_a_broken_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n")
    (tmp_path / "broken.txt.gz").write_bytes(gzip.compress(b"text" * 99)[:20])
    for name, message in (("table.csv", "give a corpus as .txt"), ("broken.txt.gz", "cannot be")):
        corpus = CorpusPlan("corpus", (tmp_path / name,))
        with pytest.raises(PocketIntentError, match=f"{name}: .*{message}"):
            write_corpus(corpus, 100, 0, tmp_path / "share")


def test_lines_and_pairs_of_a_file_are_different_content(folder: Path) -> None:
    path = folder / "pairs.jsonl"
    lines, pairs = CorpusPlan("lines", (path,)), CorpusPlan("pairs", pairs=(path,))
    assert content_of(lines) != content_of(pairs)


def test_the_content_of_a_corpus_is_that_of_its_files(corpus: CorpusPlan) -> None:
    before = content_of(corpus)
    corpus.files[0].write_text("other")
    assert content_of(corpus) != before
