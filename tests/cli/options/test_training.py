import argparse

import pytest

from pocketintent.cli.options.training import (
    add_language_option,
    add_resume_options,
    add_run_options,
    run_options,
)
from pocketintent.cli.output import print_note
from pocketintent.training.loop.options import DEFAULT_OPTIONS, RunOptions


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
    add_language_option(parser)
    add_resume_options(parser)
    options = run_options(parser.parse_args(["--restart"]))
    assert (options.device, options.resume, options.restart) == ("cpu", False, True)


def test_by_default_a_run_is_new_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    DEFAULT_OPTIONS.report("a line")
    assert capsys.readouterr() == ("", "")
    assert not DEFAULT_OPTIONS.resume and not DEFAULT_OPTIONS.restart
