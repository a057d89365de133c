import argparse

import pytest

from pocketintent.cli.options.shared import add
from pocketintent.cli.options.training import (
    add_resume_options,
    add_run_options,
    command_line,
    run_options,
)
from pocketintent.cli.output import print_note
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions


def test_the_options_of_a_run_are_those_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = [
        "--out",
        "models/m.safetensors",
        "--device",
        "cuda:1",
        "--language",
        "en",
        "--resume",
    ]
    monkeypatch.setattr("sys.argv", ["pocketintent", *arguments])
    parser = argparse.ArgumentParser()
    add_run_options(parser)

    options = run_options(parser.parse_args(arguments))

    command = "pocketintent --out m.safetensors --device cuda:1 --language en --resume"
    assert options == RunOptions(
        "cuda:1", resume=True, command=command, languages=["en"], report=print_note
    )


def test_a_command_without_a_device_trains_on_the_cpu() -> None:
    parser = argparse.ArgumentParser()
    add(parser, "--language")
    add_resume_options(parser)
    options = run_options(parser.parse_args(["--restart"]))
    assert (options.device, options.resume, options.restart) == ("cpu", False, True)


def test_by_default_a_run_is_new_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    DEFAULT_OPTIONS.report("a line")
    assert capsys.readouterr() == ("", "")
    assert not DEFAULT_OPTIONS.resume and not DEFAULT_OPTIONS.restart


@pytest.mark.parametrize(
    ("argument", "recorded"),
    [
        ("models/m.safetensors", "m.safetensors"),
        ("--corpus=./s.txt", "--corpus=s.txt"),
        ("--out=/x/o.safetensors", "--out=o.safetensors"),
        ("minilm/", "minilm"),
        ("--teacher=models/minilm/", "--teacher=minilm"),
        ("/", "/"),
        (".", "."),
        ("--resume", "--resume"),
        ("--a-value=", "--a-value="),
        ("", "''"),
    ],
)
def test_the_recorded_command_keeps_options_and_names(argument: str, recorded: str) -> None:
    assert command_line(["train", argument]) == f"pocketintent train {recorded}"
