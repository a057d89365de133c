"""``pocketintent-lab compare``, from a ready plan to its page, on made data."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")
pytest.importorskip("matplotlib")
from commands.command_ends import ending
from pocketintent_lab.cli.compare import parse_training, show_command
from pocketintent_lab.cli.main import build_parser, main
from pocketintent_lab.comparison.expansion import expand
from pocketintent_lab.comparison.plan import read_plan

PLANS = Path(__file__).resolve().parents[2] / "lab_benchmarks" / "plans"
WORDS = ["the", "man", "dog", "cat", "is", "plays", "runs", "eats", "music", "ball", "food", "park"]


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with small files of the names that ``short.toml`` has."""
    folder = tmp_path / "data"
    texts = [" ".join(WORDS[(i * j) % len(WORDS)] for j in range(1, 7)) for i in range(1, 61)]
    pairs = [{"a": a, "b": b, "score": i % 6} for i, (a, b) in enumerate(itertools.pairwise(texts))]
    for name in ("train", "dev"):
        write_lines(folder / "sts" / "stsb" / f"{name}.jsonl", pairs)
    utterances = [{"text": text, "intent": text.split()[0]} for text in texts]
    for name in ("train", "valid"):
        write_lines(folder / "intents" / "snips" / f"{name}.jsonl", utterances)
    return folder


def call(plan: Path, data: Path, *options: str) -> object:
    out = data.parent / "out"
    words = ["compare", str(plan), "--data", str(data), "--out", str(out), *options]
    return ending(lambda: main(words))


def test_a_short_plan_from_training_to_the_page(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = data.parent / "short.toml"
    # One more algorithm, whose training fails.
    broken = '[[algorithms]]\nname = "broken"\ntrain = "words"\nepochs = []\nshares = []\n'
    broken += "options = {min-count = 1000000}\n\n[compression]"
    plan.write_text((PLANS / "short.toml").read_text("utf-8").replace("[compression]", broken))
    assert call(plan, data) == 1
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert [failure["run"] for failure in summary["failures"]] == ["train broken, stsb, seed 0"]
    assert "no word that occurs 1000000 times" in summary["failures"][0]["error"]
    sizes = {model["algorithm"]: model["peak_bytes"] for model in summary["models"]}
    assert sizes["skip-gram"] > 10_000_000 and sizes["broken"] is None
    out = data.parent / "out"
    page = (out / "comparison.html").read_text("utf-8")
    for section in ("models", "epochs", "share", "encoding", "cost", "intents", "failures"):
        assert f'<section id="{section}"' in page
    for section in ("pruning", "quantisation"):
        assert f'<section id="{section}"' in page
    assert page.count("data:image/png;base64,") == 6
    report = json.loads((out / "comparison.json").read_text("utf-8"))
    places = [(r["algorithm"], r["epochs"], r["share"]) for r in report["points"]]
    assert places[:3] == [("skip-gram", 2, 100), ("skip-gram", 1, 100), ("skip-gram", 2, 50)]
    assert all(-1 <= row["sts"]["pearson"] <= 1 for row in report["points"][:4])
    assert len(report["quantisation"]["cells"]) == 2
    assert [row["words"] for row in report["pruning"] if row["method"] == "frequency"] == (
        [10, len(WORDS), len(WORDS)]
    )
    # The second call makes no run, the failed one included, and the same page.
    assert call(plan, data) == 1
    runs = summary["runs"]
    assert capsys.readouterr().err.splitlines() == [
        f"{runs} runs, {runs - 3} of them finished before"
    ]
    assert (out / "comparison.html").read_text("utf-8") == page


def test_the_page_of_a_plan_that_was_not_started(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(PLANS / "short.toml", data, "--so-far") == 0
    summary = json.loads(capsys.readouterr().out)
    assert [model["pearson"] for model in summary["models"]] == [None, None]
    assert (data.parent / "out" / "comparison.html").exists()


def test_the_command_of_the_page_has_relative_paths_as_given(tmp_path: Path) -> None:
    given = ["compare", "plans/my plan.toml", "--data", "../data", "--out"]
    for out, shown in (("runs/own", "runs/own"), (str(tmp_path / "out"), "out")):
        args = build_parser().parse_args([*given, out])
        assert show_command(args) == (
            f"pocketintent-lab compare 'plans/my plan.toml' --data ../data --out {shown}"
        )


def test_a_bad_plan_ends_before_any_run(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = data.parent / "bad.toml"
    short = (PLANS / "short.toml").read_text("utf-8")
    plan.write_text(short.replace("num-buckets", "num-bucket-s"))
    assert call(plan, data) == 1
    error = capsys.readouterr().err
    assert error.startswith(
        f"pocketintent-lab: {plan}: algorithms[2].options of 'Sent2Vec': unrecog"
    )
    assert not (data.parent / "out").exists()


@pytest.mark.parametrize("path", sorted(PLANS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_ready_plans_can_be_run(path: Path, tmp_path: Path) -> None:
    for name in re.findall(r'"([\w/.]+/[\w./]+)"', path.read_text("utf-8")):
        file = tmp_path / name
        if file.suffix:
            write_lines(file, [])
        else:
            for split in ("train", "valid", "test"):
                write_lines(file / f"{split}.jsonl", [])
    work = expand(read_plan(path, tmp_path), parse_training)
    assert len(work.tasks) > len(work.points) > 0
    if path.stem in ("corpora", "family", "small"):
        cells = [
            len(t.compression.sub_dims) * len(t.compression.codebook_sizes) for t in work.sweep
        ]
        assert sum(cells) == 216
