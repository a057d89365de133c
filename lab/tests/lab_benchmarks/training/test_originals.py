import sys
from pathlib import Path

import pytest

from lab_benchmarks.training.originals import Run, measure, run_steps, summary, table, write_corpus
from lab_benchmarks.training.programs import Job, Step, original_glove

# Programs in the order of GloVe's, which hand over what they read; the last one writes vectors.
PROGRAMS = {
    "vocab_count": "sys.stdout.write('\\n'.join(sorted(set(sys.stdin.read().split()))))",
    "cooccur": "sys.stdout.write(sys.stdin.read())",
    "shuffle": "sys.stdout.write(sys.stdin.read())",
    "glove": (
        "words = pathlib.Path(given['-vocab-file']).read_text().split()\n"
        "lines = pathlib.Path(given['-input-file']).read_text().splitlines()\n"
        "size = int(given['-vector-size'])\n"
        "rows = [' '.join([w, *(str(l.split().count(w)) for l in lines)][: size + 1]) + '\\n'"
        " for w in words]\n"
        "pathlib.Path(given['-save-file'] + '.txt').write_text(''.join(rows))"
    ),
}
PAIRS = [
    ("a cat", "a cat sits", 5),
    ("a dog", "the dog barks", 3),
    ("the cat", "a dog", 1),
]


def write_program(path: Path, code: str) -> None:
    lines = [f"#!{sys.executable}", "import pathlib, sys"]
    lines.append("given = dict(zip(sys.argv[1::2], sys.argv[2::2]))")
    path.write_text("\n".join([*lines, code, ""]), encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    line = '{{"a": "{}", "b": "{}", "score": {}}}\n'
    path.write_text("".join(line.format(*pair) for pair in PAIRS), encoding="utf-8")
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="the originals are run by sh")
def test_a_program_of_several_steps_is_measured_from_its_corpus_to_its_vectors(
    tmp_path: Path, pairs: Path
) -> None:
    programs = tmp_path / "the programs"
    programs.mkdir()
    for name, code in PROGRAMS.items():
        write_program(programs / name, code)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("a cat sits\nthe dog barks\na dog\nthe cat\n", encoding="utf-8")
    job = Job(corpus, tmp_path, dim=4, epochs=3, seed=0)
    run = measure("GloVe", "original", original_glove(programs), job, pairs)
    assert (run.algorithm, run.program, run.epochs) == ("GloVe", "original", 3)
    assert run.cpu_seconds > 0
    assert run.peak_bytes > 10**6
    assert 0 < run.pearson <= 1  # the counts of a word in each line: similar texts share lines
    assert not list(tmp_path.rglob("vectors.txt"))  # removed after they were read


@pytest.mark.skipif(sys.platform == "win32", reason="the originals are run by sh")
def test_a_program_that_fails_is_named_with_what_it_said(tmp_path: Path) -> None:
    write_program(tmp_path / "broken", "sys.exit('no such corpus')")
    with pytest.raises(SystemExit, match=r"broken ended with status 1: no such corpus"):
        run_steps([Step([tmp_path / "broken"])], tmp_path)


def test_a_corpus_is_written_as_words_a_text_a_line(tmp_path: Path, pairs: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    assert write_corpus(None, pairs, corpus) == 14
    assert corpus.read_text("utf-8").splitlines()[3:] == ["a cat sits", "the dog barks", "a dog"]
    texts = tmp_path / "texts.txt"
    texts.write_text("Turn it ON!\n\nOff\n", encoding="utf-8")
    words = write_corpus(texts, pairs, corpus)
    lines = corpus.read_text("utf-8").splitlines()
    assert words == sum(len(line.split()) for line in lines)
    assert [line.split()[0] for line in lines] == ["turn", "off"]


RUNS = [
    Run("GloVe", "original", 2, 3.0, 10_000_000, 0.2),
    Run("GloVe", "original", 2, 5.0, 12_000_000, 0.4),
    Run("GloVe", "original", 4, 8.0, 11_000_000, 0.6),
    Run("GloVe", "ours", 2, 5.0, 20_000_000, 0.5),
    Run("GloVe", "ours", 4, 6.0, 21_000_000, 0.7),
]


def test_repeats_become_a_row_of_medians_with_their_spread() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table(RUNS, 1000)[2:]]
    assert rows[0] == ["GloVe", "original", "2", "4.0 (3.0 to 5.0)", "500", "12", "0.300"]
    assert rows[3] == ["GloVe", "ours", "4", "6.0 (6.0 to 6.0)", "667", "21", "0.700"]
    assert len(rows) == 4


def test_the_summary_has_start_speed_and_the_time_to_equal_quality() -> None:
    assert summary(RUNS, 1000) == [
        "GloVe, original: 0.0 s to start, then 2.00 s an epoch, 500 words a second",
        "GloVe, ours: 4.0 s to start, then 0.50 s an epoch, 2,000 words a second",
        "GloVe, CPU time ours/original by epochs: 1.25 for 2, 0.75 for 4",
        "GloVe, CPU time to a Pearson of 0.600: ours 6.0 s, original 8.0 s, ratio 0.75",
    ]


def test_a_single_number_of_epochs_gives_no_speed() -> None:
    assert summary([RUNS[2], RUNS[4]], 1000) == [
        "GloVe, CPU time ours/original by epochs: 0.75 for 4",
        "GloVe, CPU time to a Pearson of 0.600: ours 6.0 s, original 8.0 s, ratio 0.75",
    ]
