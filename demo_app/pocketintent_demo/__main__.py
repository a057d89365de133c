"""``pocketintent-demo`` and ``python -m pocketintent_demo``: parse arguments, start a session."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence

from pocketintent import PocketIntentError
from pocketintent_demo.session import Session
from pocketintent_demo.style import Style
from pocketintent_demo.terminal import converse

EPILOG = """\
examples:
  pocketintent-demo
  pocketintent-demo --templates travel
  pocketintent-demo --templates my_bot.json --model my_model.safetensors
  pocketintent-demo --templates my_bot.safetensors
  printf 'it is too dark in here\\n:why\\n' | pocketintent-demo

NO_COLOR=1 switches colours off."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo.

    Args:
        argv: The arguments without the program's name; None for the arguments of the process.

    Returns:
        The exit status: 0 for success, 1 if a file cannot be used, 130 if it was interrupted.
    """
    parser = argparse.ArgumentParser(
        prog="pocketintent-demo",
        description="Type a sentence, see its intent. With input piped in, answer each line.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--templates",
        default="smart_home",
        metavar="FILE",
        help="template file (JSON), a bot file, or a shipped set: smart_home, banking_support, "
        "travel, small_talk (default: smart_home)",
    )
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help="a model file, or the name of a shipped model: default, fast, tiny "
        "(default: the model 'default')",
    )
    args = parser.parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            session = Session(args.templates, args.model, Style.for_stream(sys.stdout))
            converse(session)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader has closed the pipe; Python would report it at exit
    except (PocketIntentError, OSError) as error:
        print(f"pocketintent-demo: {error}", file=sys.stderr)
        return 1
    return 0


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as a line for people, without its place in the code."""
    print(f"pocketintent-demo: warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
