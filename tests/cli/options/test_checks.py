import argparse

import pytest

from pocketintent.cli.options.checks import Distinct, refuse_options


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
