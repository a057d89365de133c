import argparse

import pytest

from pocketintent.cli.commands import HelpFormatter
from pocketintent.cli.options.shared import Distinct, add, refuse_options


def test_a_value_that_is_given_twice_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", action=Distinct, nargs="+", default=["a"])
    assert parser.parse_args([]).model == ["a"]
    assert parser.parse_args(["--model", "b", "c"]).model == ["b", "c"]
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(["--model", "b", "c", "b"])
    assert "argument --model: b is given twice; give it once" in capsys.readouterr().err


def test_options_without_effect_are_refused_where_they_are_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parser = argparse.ArgumentParser()
    parser.set_defaults(parser=parser)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--join", nargs="+", default=[])
    names = ("join", "max_tokens")
    refuse_options(parser.parse_args(["--max-tokens", "128"]), names, "requires --teacher")
    with pytest.raises(SystemExit, match="2"):
        refuse_options(parser.parse_args(["--max-tokens", "5"]), names, "requires --teacher")
    assert "error: --max-tokens requires --teacher" in capsys.readouterr().err


def test_a_command_changes_what_differs_of_a_shared_option() -> None:
    parser = argparse.ArgumentParser(formatter_class=HelpFormatter)
    add(parser, "--runs", default=3)
    add(parser, "--threads", "--corpus")
    args = parser.parse_args([])
    assert (args.runs, args.threads, args.corpus) == (3, 1, None)
    assert "--runs N " in parser.format_help() and "draws of templates (3)" in parser.format_help()
    assert "--corpus FILE [FILE ...]" in parser.format_help()
