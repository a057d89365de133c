"""``pocketintent-demo`` and ``python -m pocketintent_demo``: read the call, start a session."""

from __future__ import annotations

import argparse
import sys
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
  printf 'it is too dark in here\\n:why\\n' | pocketintent-demo

NO_COLOR=1 switches colours off."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo.

    Args:
        argv: The arguments without the program's name; those of the process when None.

    Returns:
        The exit status: 0 done, 1 a file could not be used.
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
        help="template file (JSON), or a set of the package: smart_home, banking_support, travel, "
        "small_talk (default: smart_home)",
    )
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help="a model file, or the name of a shipped model: default, distilled, robust (default)",
    )
    args = parser.parse_args(argv)
    try:
        session = Session(args.templates, args.model, Style.for_stream(sys.stdout))
        converse(session)
    except BrokenPipeError:
        sys.stderr.close()  # the reader has enough; closing stdout would complain about it
    except (PocketIntentError, OSError) as error:
        print(f"pocketintent-demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
