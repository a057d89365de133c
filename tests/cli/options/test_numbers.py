import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pocketintent.cli.commands import CommandParser
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.types import whole_number, whole_numbers


def options(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    if isinstance(parser, CommandParser):
        parser.fill()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from options(below)
        else:
            yield action


def test_numbers_are_read() -> None:
    assert whole_number(0)("0") == 0
    assert whole_numbers(1)("5, 10,2") == (5, 10, 2)


def test_a_number_that_is_given_twice_is_refused() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="5 is given twice; give it once"):
        whole_numbers(1)("5, 10,5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "'x' is not a whole number"),
        ("1.5", "'1.5' is not a whole number"),
        ("", "'' is not a whole number"),
        ("0", "must be at least 1, not 0"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    for read in (whole_number(1), whole_numbers(1)):
        with pytest.raises(argparse.ArgumentTypeError, match=message):
            read(text)
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        whole_numbers(1)(f"5,{text}")


def test_a_bad_number_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["match", "--templates", "smart_home", "--rank", "x", "hi"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("argument --rank: 'x' is not a whole number\n")


def test_no_option_of_any_command_lets_argparse_show_the_name_of_a_function() -> None:
    types = {action.type for action in options(build_parser())} - {None}
    assert not types & {int, float, Path}, "use the types of cli/options/types.py, which check their values"
    assert len(types) > 10
    for read in types:
        assert callable(read)
        with suppress(argparse.ArgumentTypeError):  # any other error would show its name
            read("?")
