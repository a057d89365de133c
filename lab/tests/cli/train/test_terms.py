import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from commands.command_ends import ending
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.settings import read_settings
from pocketintent.training.corpora.terms import load_terms
from pocketintent_lab.training.terms.settings import TermSettings

TEXTS = ["The neural parser reads a grammar.", "We show a neural parser of the old grammar."] * 9


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(TEXTS))
    return path


def train(*argv: Any) -> int:
    return main(["train", "terms", *map(str, argv)])


def test_terms_are_written_and_summed_up_in_one_json_line(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "terms.tsv"
    assert train("--corpus", corpus, corpus, "--out", out) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    terms = load_terms(out)
    assert summary == {"out": str(out), "terms": len(terms), "best": [t.term for t in terms][:10]}
    assert terms[0].term == "neural parser"
    assert terms[0].count == 36
    assert "tokens" in printed.err


def test_every_setting_has_an_option_with_its_default() -> None:
    args = build_parser().parse_args(["train", "terms", "--corpus", "c", "--out", "o"])
    assert read_settings(args, TermSettings) == TermSettings()
    assert all(field.name in args for field in fields(TermSettings))


BAD_INPUT = [
    (("--min-length", 9), "min_length must be at most max_length, not 9"),
    (("--min-cohesion", "nan"), "argument --min-cohesion: must be"),
    (("--min-count", 99), "no word that occurs 99 times"),
    (("--min-length", 4), "no terms with these settings"),
    (("--out", "nowhere/terms.tsv"), "there is no folder nowhere"),
    (("--corpus", "none.txt"), "none.txt: cannot be read"),
]


@pytest.mark.parametrize(("options", "message"), BAD_INPUT, ids=str)
def test_bad_input_ends_with_a_message(
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[Any, ...],
    message: str,
) -> None:
    out = tmp_path / "terms.tsv"
    assert ending(lambda: train("--corpus", corpus, "--out", out, *options)) == (
        2 if message.startswith("argument") else 1
    )
    printed = capsys.readouterr()
    assert message in printed.err.splitlines()[-1]
    assert printed.out == ""
    assert not out.exists()


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    pytest.importorskip("nltk")
    path = tmp_path / "papers.jsonl"
    rows = [
        {"id": str(n), "text": text, "keyphrases": ["neural parsers"]}
        for n, text in enumerate(TEXTS)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_keyphrases_are_measured_with_one_json_line_for_each_file(
    documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    plot = tmp_path / "f1.png"
    argv = ["--systems", "pocketintent,tfidf", "--plot", plot]
    assert main(["evaluate", "terms", *map(str, [documents, documents, *argv])]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second
    assert first["split"] == "test"
    assert [row["system"] for row in first["results"]] == ["pocketintent", "tfidf"]
    assert first["results"][0]["at"].keys() == {"5", "10", "15"}
    assert plot.stat().st_size > 1000


def test_an_unknown_system_is_refused(documents: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "terms", str(documents), "--systems", "oracle"]) == 1
    assert "unknown system 'oracle'; choose from pocketintent" in capsys.readouterr().err
