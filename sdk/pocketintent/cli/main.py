"""The ``pocketintent`` command: finds the subcommand, runs it, and reports its errors."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pocketintent
from pocketintent.cli.commands import Command, ParserOfCommands, add_commands
from pocketintent.cli.options.files import check_paths
from pocketintent.cli.output import print_note
from pocketintent.runtime.errors import PocketIntentError, PocketIntentWarning


def _table(module: str, summaries: Mapping[str, str]) -> tuple[Command, ...]:
    """Commands by name; ``{}`` in the name of their module stands for their own."""
    return tuple(
        Command(name, f"pocketintent.cli.{module.format(name.replace('-', '_'))}", summary)
        for name, summary in summaries.items()
    )


METHODS = (
    *_table(
        "train.methods",
        {
            "starspace": "word embeddings learnt by ranking (Wu et al. 2018)",
            "charemb": "vectors of any text from its characters, learnt from a table of vectors",
            "distil": "word vectors whose sums approximate the vectors of a sentence encoder",
            "contextual": "words that their neighbours change, learnt from a sentence encoder",
        },
    ),
    *_table(
        "train.{}",
        {
            "finish": "weight the words of a model and add dimensions for their character n-grams",
            "targets": "vectors of texts by a sentence encoder, to distil a small model from",
        },
    ),
)
TASKS = _table(
    "evaluate.{}",
    {
        "sts": "correlation of cosine with human scores of pairs of texts",
        "intents": "few-shot accuracy and macro-F1; out-of-scope texts and calibration",
        "typing-errors": "few-shot accuracy with random typing errors in each utterance",
    },
)
ACTIONS = _table(
    "templates.{}",
    {
        "check": "find all errors and weak points of template files",
        "test": "measure a bot on labelled utterances",
    },
)
COMMANDS = (
    Command("match", "pocketintent.cli.match", "recognise the intent of texts"),
    Command("build", "pocketintent.cli.build", "put a model and templates into one bot file"),
    Command("train", "pocketintent.cli.train", "learn an encoder from a corpus", METHODS),
    Command("compress", "pocketintent.cli.compress", "prune and quantise a model"),
    Command("export", "pocketintent.cli.export", "make ONNX or TFLite graphs for other languages"),
    Command("evaluate", "pocketintent.cli.evaluate", "measure a model", TASKS),
    Command("templates", "pocketintent.cli.templates", "check and test template files", ACTIONS),
    Command("data", "pocketintent.cli.data", "fetch the public data sets behind the figures"),
)
"""The commands, in the order of the help."""

DESCRIPTION = """\
Recognise the intent of an utterance on the device: a model of a few MB, templates in JSON.

Results go to stdout as JSON, one object per line; progress and messages go to stderr."""

EXAMPLES = """\
examples:
  pocketintent match --templates smart_home "could you switch the lamp off please"
  pocketintent match --templates my_bot.json < utterances.txt > matches.jsonl
  pocketintent build my_bot.json --model tiny --out my_bot.safetensors
  pocketintent COMMAND --help

exit status: 0 success, 1 bad input, 2 bad usage"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = ParserOfCommands(
        prog="pocketintent",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"pocketintent {pocketintent.__version__}"
    parser.add_argument("--version", action="version", version=version)
    add_commands(parser, COMMANDS)
    return parser


def main(
    argv: Sequence[str] | None = None,
    build: Callable[[], argparse.ArgumentParser] = build_parser,
) -> int:
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

    def show_warning(
        message: Warning | str, category: type[Warning], *more: Any, **named: Any
    ) -> None:
        if issubclass(category, PocketIntentWarning):
            print_note(f"{program}: warning: {message}")
        else:
            show_other(message, category, *more, **named)

    with warnings.catch_warnings():
        show_other = warnings.showwarning
        warnings.showwarning = show_warning
        yield
