import json
from pathlib import Path

import pytest

from pocketintent.cli.main import build_parser
from pocketintent.runtime.errors import PocketIntentError


def call(*words: object) -> int:
    args = build_parser().parse_args(["evaluate", *map(str, words)])
    status: int = args.run(args)
    return status


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_intents_prints_one_line_for_each_set_and_draws_the_plot(
    tiny_model: Path, intent_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "curves.png"
    common = ["--model", tiny_model, "--shots", "1,3", "--runs", 2, "--split", "valid"]
    baselines = ["--baselines", "tfidf,tfidf-logreg"]
    assert call("intents", intent_dir, intent_dir, *common, *baselines, "--plot", plot) == 0
    reports = printed(capsys)
    assert len(reports) == 2
    assert reports[0] == reports[1]
    assert reports[0]["split"] == "valid"
    rows = reports[0]["results"]
    assert {row["system"] for row in rows} == {"pocketintent", "tfidf", "tfidf-logreg"}
    assert {row["shots"] for row in rows} == {1, 3}
    best = [r for r in rows if r["shots"] == 3 and r["system"] == "pocketintent"]
    assert [row["accuracy"] for row in best] == [{"mean": 1.0, "std": 0.0}] * 3
    assert plot.stat().st_size > 1000


def test_intents_by_table_reports_the_difference(
    tiny_model: Path, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(
        "intents", intent_dir, "--model", tiny_model, "--shots", 2, "--runs", 1, "--search", "table"
    ) == 0  # fmt: skip
    (report,) = printed(capsys)
    assert report["search"] == "table"
    assert all("differing" in row for row in report["results"])


def test_names_can_be_left_out(
    tiny_model: Path, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--model", tiny_model, "--shots", 1, "--runs", 1]
    assert call("intents", intent_dir, *options) == 0
    assert call("intents", intent_dir, *options, "--no-names") == 0
    assert [report["learn_names"] for report in printed(capsys)] == [True, False]


def test_one_decision_can_be_chosen(
    tiny_model: Path, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--model", tiny_model, "--shots", 2, "--runs", 1, "--decision", "logistic"]
    for measure in ([], ["--oos"]):
        assert call("intents", intent_dir, *options, *measure) == 0
        (report,) = printed(capsys)
        assert [row["decision"] for row in report["results"]] == ["logistic"]


def test_a_second_call_reuses_the_results_of_the_out_file(
    tiny_model: Path, intent_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["intents", intent_dir, "--model", tiny_model, "--out", tmp_path / "out.json"]
    assert call(*words, "--shots", "1", "--runs", "2") == 0
    assert call(*words, "--shots", "1,2", "--runs", "2") == 0
    first, second = printed(capsys)
    assert second["results"][:3] == first["results"]
    assert len(second["results"]) == 6
    with pytest.raises(PocketIntentError, match="another --out"):
        call(*words, "--shots", "1", "--runs", "3")
    with pytest.raises(PocketIntentError, match="another --out"):
        call(*words, "--shots", "1", "--runs", "2", "--decision", "logistic")


def test_progress_goes_to_stderr(
    tiny_model: Path, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call("intents", intent_dir, "--model", tiny_model, "--shots", "1", "--runs", "2")
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 1
    assert "2/2 draws" in captured.err


@pytest.mark.parametrize("words", [["--shots", "0"], ["--shots", "five"], ["--runs", "-1"]])
def test_bad_numbers_are_a_bad_call(
    words: list[str], intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        call("intents", intent_dir, *words)
    assert caught.value.code == 2
    capsys.readouterr()


def test_unknown_baseline_and_missing_folder_are_bad_input(
    tiny_model: Path, intent_dir: Path
) -> None:
    with pytest.raises(PocketIntentError, match="unknown baseline 'bert'"):
        call("intents", intent_dir, "--model", tiny_model, "--baselines", "bert")
    with pytest.raises(PocketIntentError, match="no such folder"):
        call("intents", intent_dir / "absent", "--model", tiny_model)
