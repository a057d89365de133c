import argparse
import json
from pathlib import Path

import pytest

from pocketintent.cli.main import build_parser
from pocketintent.runtime.errors import PocketIntentError


def parse(*words: object) -> argparse.Namespace:
    return build_parser().parse_args(["evaluate", "encoders", *map(str, words)])


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text("left,b,score\nlight,lamp,1.0\nlight,music,0.0\npizza,food,0.75\n")
    return path


def test_each_file_gives_a_line_with_a_row_for_each_encoder(
    pairs: Path, tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("light 1 0\nlamp 1 0.1\npizza 0 1\nfood 0.1 1\nmusic -1 -1\nlight_music 0 1")
    options = ["--a", "left", "--target", vectors, "--model", tiny_model, "fast"]
    args = parse(pairs, pairs, *options)
    assert args.run(args) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second
    assert (first["file"], first["pairs"]) == (str(pairs), 3)
    assert first["columns"] == ["left", "b", "score"]
    assert [(row["name"], row["kind"], row["reads"]) for row in first["rows"]] == [
        (str(vectors), "table", "words"),
        (str(vectors), "table", "words and terms"),
        (str(tiny_model), "static", "words"),
        ("fast", "contextual", "words"),
    ]
    assert first["rows"][0]["pearson"] > 0.9


def test_documents_with_keyphrases_give_pairs_of_phrases(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nltk")
    path = tmp_path / "documents.jsonl"
    groups = [["light", "lamp"], ["pizza", "food"], ["door", "gate"]]
    rows = [{"id": str(n), "text": "", "keyphrases": group} for n, group in enumerate(groups)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    args = parse(path, "--keyphrases", "all", "--model", tiny_model)
    assert args.run(args) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["pairs"], report["columns"]) == (12, ["keyphrases"])
    assert report["rows"][0]["pearson"] > 0.9


def test_a_call_without_encoders_is_refused(pairs: Path) -> None:
    args = parse(pairs)
    with pytest.raises(PocketIntentError, match="give --target, --model, or both"):
        args.run(args)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--a", "x", "--keyphrases", "dev"], "--a has no effect with --keyphrases"),
        (["--score", "x", "--keyphrases", "dev"], "--score has no effect with --keyphrases"),
        (["--seed", 3], "--seed requires --keyphrases"),
        (["--limit", 3], "--limit requires --target"),
    ],
)
def test_options_without_effect_are_bad_usage(
    words: list[object], message: str, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = parse(pairs, "--model", "tiny", *words)
    with pytest.raises(SystemExit, match="2"):
        args.run(args)
    assert message in capsys.readouterr().err


def test_bad_pairs_are_named_before_a_table_is_read(pairs: Path, tmp_path: Path) -> None:
    args = parse(pairs, "--target", tmp_path / "absent.txt")
    with pytest.raises(PocketIntentError, match=r"pairs\.csv.*unknown columns"):
        args.run(args)
