import json
from pathlib import Path

import pytest

from commands.command_ends import ending
from pocketintent.cli.main import main


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    texts = [("turn on the light", "on"), ("lamp on", "on"), ("play music", "play")]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": t, "intent": i}) + "\n" for t, i in texts))
    return path


def test_encoders_are_compared_on_triplets(
    labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tiny_model)
    assert main(["evaluate", "triplets", str(labelled), "--model", model, "tiny"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["total"] for row in report["rows"]] == [2, 2]
    assert report["intersections"][0]["names"] == [model, "tiny"]


def test_several_teachers_are_compared_and_a_file_is_named_by_its_path(
    labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, joined = str(tiny_model), labelled.with_name("joined.toml")
    joined.write_text(f'kind = "joined"\nteachers = ["{model}", "{model}", "{model}"]\n')
    arguments = ["--teacher", model, str(joined), "tiny"]
    assert main(["evaluate", "triplets", str(labelled), *arguments]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in rows] == [model, str(joined), "tiny"]
    assert rows[1]["same"] == pytest.approx(rows[0]["same"], abs=1e-6)


@pytest.mark.parametrize("command", ["triplets", "sts"])
@pytest.mark.parametrize(
    "option",
    [
        *("--max-tokens=5", "--precision=bfloat16", "--device=cuda", "--threads=4"),
    ],
)
def test_options_of_a_teacher_require_one(
    command: str, labelled: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, value = option.split("=")
    arguments = ["evaluate", command, str(labelled), "--model", "tiny", name, value]
    assert ending(lambda: main(arguments)) == 2
    assert f"{name} requires --teacher" in capsys.readouterr().err


def test_a_teacher_serves_the_evaluations(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sts.jsonl"
    rows = [("turn on the light", "lamp on", 4), ("play music", "lamp on", 1), ("hello", "hi", 3)]
    path.write_text("".join(json.dumps({"a": a, "b": b, "score": s}) + "\n" for a, b, s in rows))
    reports = []
    for option in ("--model", "--teacher"):
        assert main(["evaluate", "sts", str(path), option, str(tiny_model)]) == 0
        reports.append(json.loads(capsys.readouterr().out))
    assert reports[0] == reports[1]
    assert {"kendall_b", "kendall_c"} <= set(reports[0])
    both = ["--model", str(tiny_model), "--teacher", str(tiny_model)]
    assert main(["evaluate", "sts", str(path), *both]) == 1
    assert "exclude each other" in capsys.readouterr().err
    joined = tmp_path / "joined.toml"
    joined.write_text(f'kind = "joined"\nteachers = ["{tiny_model}", "{tiny_model}"]\n')
    assert main(["evaluate", "sts", str(path), "--teacher", str(joined)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["model"] == str(joined)
    assert report["pearson"] == pytest.approx(reports[0]["pearson"], abs=1e-6)
