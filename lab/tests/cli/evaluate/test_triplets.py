import json
from pathlib import Path

import pytest

from command_ends import ending
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


def test_a_joined_encoder_is_named_by_its_parts(
    labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tiny_model)
    arguments = ["--model", model, "--teacher", model, "--join", model, model]
    assert main(["evaluate", "triplets", str(labelled), *arguments]) == 0
    alone, joined = json.loads(capsys.readouterr().out)["rows"]
    assert (alone["name"], joined["name"]) == (model, f"{model}+{model}+{model}")
    assert joined["same"] == pytest.approx(alone["same"], abs=1e-6)


def test_a_shipped_model_is_joined_by_its_name(
    labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--teacher", "tiny", "--join", "default"]
    assert main(["evaluate", "triplets", str(labelled), *arguments]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["tiny+default"]


@pytest.mark.parametrize("command", ["triplets", "sts"])
@pytest.mark.parametrize(
    "option",
    [
        *("--embedding=cls", "--layers=head", "--blueprints=1,1", "--tuning-epochs=2"),
        *("--join=tiny", "--max-tokens=5", "--precision=bfloat16", "--device=cuda", "--threads=4"),
    ],
)
def test_options_of_a_teacher_require_one(
    command: str, labelled: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, value = option.split("=")
    arguments = ["evaluate", command, str(labelled), "--model", "tiny", name, value]
    assert ending(lambda: main(arguments)) == 2
    assert f"{name} requires --teacher" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--layers=head", "--blueprints=1,1", "--tuning-rate=0.1"])
def test_options_of_an_embedding_require_one(
    labelled: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--teacher", "tiny", option]
    assert ending(lambda: main(["evaluate", "triplets", str(labelled), *arguments])) == 2
    assert f"{option.partition('=')[0]} requires --embedding" in capsys.readouterr().err


def test_a_teacher_serves_the_evaluations(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sts.jsonl"
    rows = [("turn on the light", "lamp on", 4), ("play music", "lamp on", 1), ("hello", "hi", 3)]
    path.write_text("".join(json.dumps({"a": a, "b": b, "score": s}) + "\n" for a, b, s in rows))
    reports = []
    for command in ("sts", "pairs"):
        for option in ("--model", "--teacher"):
            assert main(["evaluate", command, str(path), option, str(tiny_model)]) == 0
            reports.append(json.loads(capsys.readouterr().out))
    assert reports[0] == reports[1] and reports[2] == reports[3]
    assert {"kendall_b", "kendall_c"} <= set(reports[0])
    both = ["--model", str(tiny_model), "--teacher", str(tiny_model)]
    assert main(["evaluate", "sts", str(path), *both]) == 1
    assert "exclude each other" in capsys.readouterr().err
    joined = ["--teacher", str(tiny_model), "--join", str(tiny_model)]
    assert main(["evaluate", "sts", str(path), *joined]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["model"] == f"{tiny_model}+{tiny_model}"
    assert report["pearson"] == pytest.approx(reports[0]["pearson"], abs=1e-6)
