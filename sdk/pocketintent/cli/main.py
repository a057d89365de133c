"""The ``pocketintent`` command: finds the subcommand, runs it, and reports its errors."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pocketintent
from pocketintent.cli.commands import Command, CommandParser
from pocketintent.cli.output import print_note
from pocketintent.runtime.errors import PocketIntentError, PocketIntentWarning

_CLI = "pocketintent.cli"
_TRAIN = f"{_CLI}.train.methods"

METHODS = (
    Command("starspace", _TRAIN, "word embeddings learnt by ranking (Wu et al. 2018)"),
    Command("charemb", _TRAIN, "vectors of any text from its characters, learnt from a table"),
    Command("distil", _TRAIN, "word vectors whose sums approximate those of a sentence encoder"),
    Command("contextual", _TRAIN, "words that neighbours change, learnt from a sentence encoder"),
    Command("transformer", _TRAIN, "words that attention changes, learnt from a sentence encoder"),
    Command("finish", f"{_CLI}.train.finish", "weight words, and add dimensions for their n-grams"),
    Command("targets", f"{_CLI}.train.targets", "vectors of texts by a sentence encoder"),
)
TASKS = (
    Command("sts", f"{_CLI}.evaluate.sts", "correlation of cosine with human scores of pairs"),
    Command("intents", f"{_CLI}.evaluate.intents", "few-shot accuracy, refusals, calibration"),
    Command("bots", f"{_CLI}.evaluate.bots", "answers of written bots to free phrasings"),
    Command(
        "typing-errors", f"{_CLI}.evaluate.typing_errors", "few-shot accuracy with typing errors"
    ),
)
ACTIONS = (
    Command("check", f"{_CLI}.templates.check", "find all errors and weak points of templates"),
    Command("test", f"{_CLI}.templates.test", "measure a bot on labelled utterances"),
)
COMMANDS = (
    Command("match", f"{_CLI}.match", "recognise the intent of texts"),
    Command("build", f"{_CLI}.build", "put a model and templates into one bot file"),
    Command("train", f"{_CLI}.train", "learn an encoder from a corpus", METHODS),
    Command("compress", f"{_CLI}.compress", "prune and quantise a model"),
    Command("export", f"{_CLI}.export", "make ONNX or TFLite graphs for other languages"),
    Command("evaluate", f"{_CLI}.evaluate", "measure a model", TASKS),
    Command("templates", f"{_CLI}.templates", "check and test template files", ACTIONS),
    Command("studio", f"{_CLI}.studio", "write a bot and try it in the browser"),
    Command("data", f"{_CLI}.data", "fetch the public data sets behind the figures"),
)
"""The commands, in the order of the help."""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    root = Command("pocketintent", "pocketintent.cli", "", COMMANDS)
    parser = CommandParser(prog=root.name, command=root)
    about = "show the version and the backend that matches, and exit"
    parser.add_argument("--version", action=_Version, nargs=0, help=about)
    return parser


class _Version(argparse.Action):
    """Prints the version, and the backend, for which the core is loaded."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from pocketintent.runtime.native.package import describe_backend

        print(f"pocketintent {pocketintent.__version__} (backend {describe_backend()})")
        parser.exit()


def main(argv: Sequence[str] | None = None, build: Callable[[], Any] = build_parser) -> int:
    """Run the command: ``argv``, by default that of the process, with the parser of ``build``.

    Returns the exit status: 0 success, 1 bad input, 130 interrupted. Bad usage ends the process
    with status 2, as in argparse.
    """
    parser = build()
    program = parser.prog
    if not _open_streams():
        print_note(f"{program}: stdout is closed, and the results are written to it")
        return 1
    arguments = sys.argv[1:] if argv is None else list(argv)
    args = argparse.Namespace()
    try:
        parser.parse_args(arguments, args)
        from pocketintent.cli.options.types import check_paths  # with NumPy, which loads slowly

        check_paths(args.parser, args)
        with _warnings_as_notes(program):
            status: int = args.run(args)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader, for example `head`, has closed the pipe. Buffered output must not raise
        # again when Python closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except PocketIntentError as error:
        print_note(f"{program}: {error}")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print_note(f"{program}: {place}{error.strerror or error}")
    except MemoryError as error:
        print_note(f"{program}: not enough memory: {error or 'use smaller settings'}")
    except KeyboardInterrupt:
        find_command = getattr(args, "after_interrupt", None)
        command = find_command and find_command(args, arguments)
        print_note("interrupted" + (f"; to continue, run: {command}" if command else ""))
        return 130
    return 1


def _open_streams() -> bool:
    """Prepare the standard streams; returns whether there is a stdout.

    A stream that the caller has closed is None. Reading then gives no lines, and messages are
    dropped. The null device also keeps its number from being given to a file of ours.
    """
    has_stdout = sys.stdout is not None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # JSON is UTF-8 in every locale
    return has_stdout


@contextmanager
def _warnings_as_notes(program: str) -> Iterator[None]:
    """Print the warnings of the package as lines for people, without a place in the code."""

    def show_warning(message: Any, category: type[Warning], *more: Any, **named: Any) -> None:
        if issubclass(category, PocketIntentWarning):
            print_note(f"{program}: warning: {message}")
        else:
            show_other(message, category, *more, **named)

    with warnings.catch_warnings():
        show_other = warnings.showwarning
        warnings.showwarning = show_warning
        yield
