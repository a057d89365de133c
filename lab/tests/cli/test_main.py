"""``pocketintent-lab``: its help, its messages and its commands inside ``pocketintent``."""

from pathlib import Path

import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from pocketintent.cli.main import main as main_of_product
from pocketintent_lab.cli.commands import COMMANDS, EVALUATIONS, TRAINERS
from pocketintent_lab.cli.main import main

WORDS = [
    [],
    *([command.name] for command in COMMANDS),
    *(["train", command.name] for command in TRAINERS),
    *(["evaluate", command.name] for command in EVALUATIONS),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_every_command_has_help_with_examples_of_its_own(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending(lambda: main([*words, "--help"])) == 0
    text = capsys.readouterr().out
    command = " ".join(["pocketintent-lab", *words])
    assert text.startswith(f"usage: {command} ")
    assert f"examples:\n  {command} " in text


def test_the_version_is_that_of_the_laboratory(capsys: pytest.CaptureFixture[str]) -> None:
    import pocketintent_lab

    assert ending(lambda: main(["--version"])) == 0
    assert capsys.readouterr().out == f"pocketintent-lab {pocketintent_lab.__version__}\n"


@pytest.mark.parametrize("group", ["train", "evaluate"])
def test_the_product_lists_the_methods_of_the_laboratory(
    group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending(lambda: main_of_product([group, "--help"])) == 0
    text = capsys.readouterr().out
    for command in TRAINERS if group == "train" else EVALUATIONS:
        assert f"    {command.name}" in text


def test_the_command_that_continues_a_run_names_the_program(
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*arguments: object, **settings: object) -> None:
        out.with_name(f"{out.name}.work").mkdir()
        raise KeyboardInterrupt

    out = tmp_path / "m.safetensors"
    monkeypatch.setattr("pocketintent_lab.training.glove.pipeline.train_glove", interrupt)
    words = ["train", "glove", "--corpus", str(corpus), "--out", str(out)]
    assert main(words) == 130
    expected = f"to continue, run: pocketintent-lab {' '.join(words)} --resume\n"
    assert capsys.readouterr().err.endswith(expected)
